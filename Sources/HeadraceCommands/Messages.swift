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

/// A message that changes something and has exactly one handler.
///
/// A command is a value that describes the change and holds its data:
///
/// ```swift
/// struct AddSomethingCommand: CQDCommand {
///     var name: String
/// }
/// ```
///
/// A command returns nothing, unless it declares an output: the result of the change, such as the identifier of a new
/// object.
///
/// ```swift
/// struct ReserveSeat: CQDCommand {
///     typealias Output = Int
///     let row: String
/// }
///
/// let number = try await dispatcher.dispatch(ReserveSeat(row: "A"))
/// ```
///
/// To read a value without a change, dispatch a ``CQDQuery``. CQD stands for command and query dispatch.
public protocol CQDCommand<Output>: DispatchedMessage {
    /// The type of the result; `Void` by default.
    ///
    /// It need not be `Sendable`, because it stays in the isolation of the caller. If the command is sent with an
    /// idempotency key, it must be `Codable`.
    ///
    /// It isn't named `Result`, because that name would hide `Swift.Result` in the members of the command, and a command
    /// with its own type or parameter of the name `Result` or `Value` would return it.
    associatedtype Output = Void
}

/// A message that changes nothing, and for which exactly one handler returns a ``Value``.
///
/// ```swift
/// struct GetInfoQuery: CQDQuery {
///     typealias Value = Info
///     var subject: String
/// }
/// ```
public protocol CQDQuery<Value>: DispatchedMessage where Output == Value {
    /// The type of the returned value.
    ///
    /// It need not be `Sendable`, because it stays in the isolation of the caller.
    associatedtype Value
}

/// A message that changes nothing, and for which exactly one handler returns a stream of values.
///
/// ```swift
/// struct ListEntriesQuery: CQDStreamQuery {
///     typealias Element = Entry
///     var account: String
/// }
///
/// for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
///     print(entry)
/// }
/// ```
public protocol CQDStreamQuery<Element>: DispatchedMessage where Output == QueryStream<Element> {
    /// The type of the values in the stream.
    ///
    /// It need not be `Sendable`, because the values stay in the isolation of the caller.
    associatedtype Element
}

/// A message that any number of handlers receive, and that returns nothing.
///
/// ```swift
/// struct SeatWasReserved: CQDNotification {
///     let seat: String
/// }
///
/// try await dispatcher.publish(SeatWasReserved(seat: "A1"))
/// ```
///
/// A notification is kept in memory only, and needs no entity. A durable domain event is stored with the changes of a unit of
/// work.
public protocol CQDNotification: Sendable {}
