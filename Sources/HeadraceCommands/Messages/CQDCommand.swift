// SPDX-License-Identifier: Apache-2.0

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
