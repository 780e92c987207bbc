//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceDomain
public import HeadraceResolution

/// A type of command that takes effect later, and the operation that carries it out.
///
/// ```swift
/// ScheduledCommand(SendReminder.self) { command, scope in
///     try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
/// }
/// ```
public struct ScheduledCommand: Sendable {
    let type: any DurableCommand.Type
    let register: @Sendable (Relay, any DependencyResolutionScope) -> Void

    /// Registers `operation` to carry out commands of `type`, in a unit of work on the store.
    public init<Command: DurableCommand>(
        _ type: Command.Type,
        by operation:
            nonisolated(nonsending) @escaping @Sendable (
                Command, any DependencyResolutionScope
            ) async throws -> Void
    ) {
        self.type = type
        register = { relay, scope in
            relay.carryOut(type) { command in try await operation(command, scope) }
        }
    }
}
