// SPDX-License-Identifier: Apache-2.0

import Instrumentation

/// The kind of a message.
public struct MessageKind: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case command, query, action, effect, event, notification, request, step }

    private let kind: Kind

    /// An instruction for one handler.
    public static let command = MessageKind(kind: .command)

    /// A question to one handler.
    public static let query = MessageKind(kind: .query)

    /// An action of a flux dispatcher, a service tree, or a station.
    public static let action = MessageKind(kind: .action)

    /// An effect that an action has started.
    public static let effect = MessageKind(kind: .effect)

    /// A domain event.
    public static let event = MessageKind(kind: .event)

    /// A notification to any number of handlers.
    public static let notification = MessageKind(kind: .notification)

    /// A step of a durable workflow.
    public static let step = MessageKind(kind: .step)

    /// A request from outside the program, the first message of its chain.
    public static let request = MessageKind(kind: .request)

    /// Name of the kind, suitable as a metric label.
    public var description: String { kind.rawValue }
}

/// A root message with a name of its own for logs, metrics, traces, and an inspector.
///
/// ```swift
/// struct Upload: NamedMessage {
///     var bucket: Bucket
///     var messageName: String { "upload to \(bucket)" }
/// }
/// ```
///
/// Without it, the name of a message is the name of its type. See ``MessageContext/name``.
public protocol NamedMessage: Sendable {
    /// The name of the message, from a small set of names, because it is a metric label.
    ///
    /// For an HTTP request, it contains the path of the route, not the path of the request.
    var messageName: String { get }
}

/// Identifies the messages of a group.
///
/// A type is hashed by its address, because making its name takes longer than many handlers.
package enum MessageGroupKey: Hashable {
    case type(Any.Type)
    case name(String)

    /// Identifies the messages with the same ``MessageContext/name`` as the message of `context`.
    package static func name(of context: MessageContext) -> MessageGroupKey {
        context.ownName.map { .name($0) } ?? .type(context.type)
    }

    /// The label of metrics and errors.
    package var name: String {
        switch self {
        case .type(let type): String(naming: type)
        case .name(let name): name
        }
    }

    package static func == (one: MessageGroupKey, other: MessageGroupKey) -> Bool {
        switch (one, other) {
        case (.type(let one), .type(let other)): one == other
        case (.name(let one), .name(let other)): one == other
        case (.type, .name), (.name, .type): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .type(let type): hasher.combine(ObjectIdentifier(type))
        case .name(let name): hasher.combine(name)
        }
    }
}

/// An action as a value, handled by the services of a service tree or executed by a flux dispatcher.
///
/// For a service tree, the protocol is a marker:
///
/// ```swift
/// enum IdentityAction: Action { case logIn(name: String), logOut }
/// ```
///
/// For a flux dispatcher, an action implements its own behaviour:
///
/// ```swift
/// struct Increment: Action {
///     var value = 1
///
///     func execute(with store: CounterStore) async { await store.add(value) }
/// }
/// ```
///
/// The compiler infers both associated types from ``execute(with:)``. The method can have the isolation of its
/// dispatcher: `@MainActor func execute(with:)`, or `execute(with store: isolated CounterStore)` if the dispatcher is
/// an actor.
public protocol Action<Dispatcher, Failure>: Sendable {
    /// The type that executes the action; `Never` for actions of service trees.
    associatedtype Dispatcher: Sendable = Never

    /// The type of error that ``execute(with:)`` throws; `Never` if it doesn't throw.
    associatedtype Failure: Error = Never

    /// Executes the action.
    ///
    /// - Throws: The reason why the action failed. A caller that awaits the action receives the error unwrapped.
    nonisolated(nonsending) func execute(with dispatcher: Dispatcher) async throws(Failure)
}

extension Action where Dispatcher == Never, Failure == Never {
    /// Never called: the handlers of a service tree implement the behaviour.
    public nonisolated(nonsending) func execute(with dispatcher: Never) async {}
}

/// A user, service, or job on whose behalf messages are handled.
public protocol Principal: Sendable {
    /// Unique ID of the principal, as shown in logs and stored events.
    var principalID: String { get }
}

/// Carries a trace to places that task-local values don't reach: stores and other processes.
package enum TraceCarrier {
    /// The current trace as fields of the system's instrument; empty without tracing.
    package static var current: [String: String] {
        guard let context = InstrumentationContext.current else { return [:] }
        var carrier: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Injector())
        return carrier
    }

    /// Runs `operation` within the trace in the fields of `carrier`.
    package static nonisolated(nonsending) func restoring<Result>(
        _ carrier: [String: String],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if carrier.isEmpty { return try await operation() }
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(carrier, into: &context, using: Extractor())
        return try await InstrumentationContext.$current.binding(context, operation)
    }

    /// Runs `operation` within the trace in `fields` of a request, unless the task has a trace or there is no instrument.
    package static nonisolated(nonsending) func continuing<Result>(
        from fields: @autoclosure () -> [String: String],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if InstrumentationContext.current != nil || InstrumentationSystem.instrument is NoOpInstrument {
            return try await operation()
        }
        return try await restoring(fields(), operation)
    }

    private struct Injector: Instrumentation.Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }

    private struct Extractor: Instrumentation.Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? {
            carrier[key]
        }
    }
}
