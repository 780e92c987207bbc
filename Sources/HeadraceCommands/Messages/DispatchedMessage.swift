// SPDX-License-Identifier: Apache-2.0

/// A message that a ``CommandQueryDispatcher`` takes: a ``CQDCommand``, a ``CQDQuery``, or a ``CQDStreamQuery``.
///
/// Conform to one of these three protocols, not to `DispatchedMessage`. Use `DispatchedMessage` for lists of messages, such
/// as all messages that an application sends.
public protocol DispatchedMessage<Output>: Sendable {
    /// The type that dispatching the message returns.
    ///
    /// It is `Void` or the result for a command, the value for a query, and a ``QueryStream`` for a stream query. A type
    /// must not be both a command and a query, because the call of `dispatch` would be ambiguous.
    associatedtype Output
}
