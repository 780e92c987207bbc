// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceDomain
import HeadraceRelay
public import HeadraceResolution

/// A type of command that takes effect later, and the operation that carries it out.
///
/// ```swift
/// ScheduledCommand(ChargeCard.self)
/// ```
///
/// The dispatcher of the container carries it out, with all of its middleware. A domain does that without a declaration for each
/// command that the standard dispatcher of the container handles; your own dispatcher needs it. The result of the command can become an event,
/// which is stored in the transaction of its changes:
///
/// ```swift
/// ScheduledCommand(ChargeCard.self, raising: { CardCharged(orderId: $0.orderId, receipt: $1) })
/// ```
///
/// Any other operation receives the scope of the relay:
///
/// ```swift
/// ScheduledCommand(SendReminder.self) { command, scope in
///     try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
/// }
/// ```
public struct ScheduledCommand: Sendable {
    let type: any DurableCommand.Type
    /// Whether the dispatcher of the container carries out the commands.
    let isDispatched: Bool

    let register: @Sendable (Relay, any DependencyResolutionScope) -> Void

    /// Registers `operation` to carry out commands of `type`, in a unit of work on the store.
    public init<Command: DurableCommand>(
        _ type: Command.Type,
        by operation:
            nonisolated(nonsending) @escaping @Sendable (
                Command, any DependencyResolutionScope
            ) async throws -> Void
    ) {
        self.init(type, isDispatched: false, by: operation)
    }

    private init<Command: DurableCommand>(
        _ type: Command.Type,
        isDispatched: Bool,
        by operation:
            nonisolated(nonsending) @escaping @Sendable (
                Command, any DependencyResolutionScope
            ) async throws -> Void
    ) {
        self.type = type
        self.isDispatched = isDispatched
        register = { relay, scope in
            relay.carryOut(type) { command in try await operation(command, scope) }
        }
    }

    /// Registers the dispatcher of the container to carry out commands of `type`; it ignores their results.
    ///
    /// A `RetryMiddleware` of the dispatcher does nothing here, because the relay retries the whole delivery.
    public init<Command: DurableCommand & CQDCommand>(_ type: Command.Type) {
        self.init(type, isDispatched: true) { command, scope in
            try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
        }
    }

    /// Registers the dispatcher of the container to carry out commands of `type`, and raises an event with each result.
    ///
    /// - Parameters:
    ///   - type: The type of the commands.
    ///   - event: Makes the event of the command and its result. The event is stored with the changes of the command, so it is
    ///     raised exactly once.
    public init<Command: DurableCommand & CQDCommand, Event: DurableDomainEvent>(
        _ type: Command.Type,
        raising event: @escaping @Sendable (Command, Command.Output) -> Event
    ) {
        self.type = type
        isDispatched = true
        register = { relay, scope in
            relay.carryOut(type) { command, context in
                let dispatcher = try scope.require((any CommandQueryDispatcher).self)
                let output = try await dispatcher.dispatch(command)
                context.relayPart.raise(event(command, output), for: nil)
            }
        }
    }
}

extension [any RegistrationNote] {
    /// The durable commands that a dispatcher of the container handles, each once.
    var handledCommands: [any (CQDCommand & DurableCommand).Type] {
        var known: Set<ObjectIdentifier> = []
        return compactMap { note in
            guard let entry = note as? HandlerCatalog.MessageEntry, !entry.handlers.isEmpty else { return nil }
            return entry.message as? any (CQDCommand & DurableCommand).Type
        }
        .filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}

/// Returns the durable commands that the dispatcher of the container carries out, without those that have an operation.
func handledCommands(
    in scope: any DependencyResolutionScope,
    except operations: [ScheduledCommand]
) -> [ScheduledCommand] {
    let known = Set(operations.map { ObjectIdentifier($0.type) })
    return scope.registrationNotes.handledCommands
        .filter { !known.contains(ObjectIdentifier($0)) }
        .map { dispatched($0) }
}

private func dispatched<Command: CQDCommand & DurableCommand>(_ command: Command.Type) -> ScheduledCommand {
    ScheduledCommand(command)
}
