//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a ``CommandQueryDispatcher`` takes: a ``CQDCommand``, a ``CQDQuery`` or a ``CQDStreamQuery``.
///
/// Conform to one of those, not to this. It is the type of a list of messages, such as those that an application sends.
public protocol DispatchedMessage: Sendable {}
