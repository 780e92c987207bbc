//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Carries out one type of command.
///
/// A handler is made anew for each command, out of the scope of the dispatcher, so it needs no care for
/// sharing:
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
public protocol HandlesCommand<Command>: SendableMetatype {
    /// The type of command that the handler carries out.
    associatedtype Command: CQDCommand

    /// Carries out `command`, in the task and on the actor of whoever dispatched it.
    ///
    /// `@MainActor` before the class does not change that, unless the class is `@Resolvable`; `@MainActor func handle` does.
    ///
    /// - Throws: Whatever keeps the command from being carried out; it reaches the dispatching caller as it is.
    nonisolated(nonsending) func handle(_ command: Command) async throws
}
