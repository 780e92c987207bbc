//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message that a ``CommandQueryDispatcher`` takes: a ``CQDCommand``, a ``CQDQuery``, or a ``CQDStreamQuery``.
///
/// Conform to one of these three protocols, not to this one. It is the type of a list of messages, for example of all
/// messages that an application sends.
public protocol DispatchedMessage<Output>: Sendable {
    /// The type that dispatching the message returns.
    ///
    /// It follows from the protocol of the message: `Void` for a command, the value of a query, a ``QueryStream`` for a
    /// stream query. A type has one output, so it can't be a command and a query with a value at once.
    associatedtype Output
}
