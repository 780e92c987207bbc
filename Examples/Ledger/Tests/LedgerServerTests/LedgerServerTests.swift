// SPDX-License-Identifier: Apache-2.0

#if Server
import Testing

/// The tests with servers.
///
/// They are serialized, so that they don't slow each other down.
@Suite(.serialized) enum LedgerServerTests {}
#endif
