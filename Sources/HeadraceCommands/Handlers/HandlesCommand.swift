// SPDX-License-Identifier: Apache-2.0

/// Handles one type of command.
///
/// Each dispatch makes a new handler in the scope of the dispatcher, so a handler isn't shared and needs no
/// synchronization:
///
/// ```swift
/// @Resolvable
/// final class AddSomethingCommandHandler: HandlesCommand {
///     private let api: any Api
///
///     func handle(_ command: AddSomethingCommand) async throws {
///         try await api.post("/something", command.name)
///     }
/// }
/// ```
///
/// If the command declares a ``CQDCommand/Output``, the method returns it.
public protocol HandlesCommand<Command>: SendableMetatype {
    /// The type of command that the handler takes.
    associatedtype Command: CQDCommand

    /// Handles `command` and returns its result, if it has one, in the task and on the actor of the caller that dispatched it.
    ///
    /// To run it on the main actor, write `@MainActor func handle`, or `@MainActor` before a `@Resolvable` class. For other
    /// classes, `@MainActor` before the class has no effect here.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped.
    nonisolated(nonsending) func handle(_ command: Command) async throws -> Command.Output
}
