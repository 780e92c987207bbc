//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

/// The tests that run a server each, one after the other: so that none takes the time of another.
@Suite(.serialized) enum LedgerServerTests {}
