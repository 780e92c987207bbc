// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import HeadraceCore
public import HeadraceDomain
import HeadraceResolution

/// The reaction of a process to one type of event, or to one time-out.
///
/// A reaction is a function of the state and the event: it changes the state, and states in its ``ProcessContext`` what must
/// happen. It must have no other effect, because it runs again if another event has changed the process meanwhile.
///
/// If a reaction throws, nothing is stored, and the relay retries the delivery.
public struct ProcessReaction<Process: DurableProcess>: Sendable {
    /// The body of a reaction to an event.
    public typealias Body<Event> =
        @Sendable (_ process: inout Process, Event, inout ProcessContext<Process>) throws -> Void

    enum Trigger: Sendable {
        case event(any (HandlesDomainEvent & Resolvable).Type, starts: Bool)
        case timeout(Process.Timeout)
    }

    let trigger: Trigger

    /// The key of the process that an event belongs to; `nil` if it belongs to none.
    private let key: @Sendable (any DurableDomainEvent) -> Process.Key?

    private let body: @Sendable (inout Process, (any DurableDomainEvent)?, inout ProcessContext<Process>) throws -> Void

    /// Reacts to events of a type, and starts a process if there is none with the key.
    ///
    /// Several types of event can start a process. If their events arrive at the same time, one process results, and it reacts to
    /// all of them.
    ///
    /// - Parameters:
    ///   - event: The type of event.
    ///   - key: Returns the key of the process, or `nil` if the event belongs to no process.
    ///   - body: The reaction.
    /// - Returns: The reaction, for ``DurableProcess/reactions``.
    public static func start<Event: DurableDomainEvent>(
        on event: Event.Type,
        by key: @escaping @Sendable (Event) -> Process.Key?,
        _ body: @escaping Body<Event>
    ) -> Self {
        Self(event, starts: true, key, body)
    }

    /// Reacts to events of a type; if there is no process with the key, or if it has ended, the event is ignored.
    ///
    /// - Parameters:
    ///   - event: The type of event.
    ///   - key: Returns the key of the process, or `nil` if the event belongs to no process.
    ///   - body: The reaction.
    /// - Returns: The reaction, for ``DurableProcess/reactions``.
    public static func on<Event: DurableDomainEvent>(
        _ event: Event.Type,
        by key: @escaping @Sendable (Event) -> Process.Key?,
        _ body: @escaping Body<Event>
    ) -> Self {
        Self(event, starts: false, key, body)
    }

    /// Reacts when the time of a time-out has come, unless it was cancelled or set again, or the process has ended.
    public static func onTimeout(
        _ timeout: Process.Timeout,
        _ body: @escaping @Sendable (_ process: inout Process, inout ProcessContext<Process>) throws -> Void
    ) -> Self {
        Self(
            trigger: .timeout(timeout),
            key: { _ in nil },
            body: { process, _, context in try body(&process, &context) }
        )
    }

    private init<Event: DurableDomainEvent>(
        _ event: Event.Type,
        starts: Bool,
        _ key: @escaping @Sendable (Event) -> Process.Key?,
        _ body: @escaping Body<Event>
    ) {
        self.init(
            trigger: .event(ProcessEventHandler<Process, Event>.self, starts: starts),
            key: { event in (event as? Event).flatMap(key) },
            body: { process, event, context in
                if let event = event as? Event { try body(&process, event, &context) }
            }
        )
    }

    private init(
        trigger: Trigger,
        key: @escaping @Sendable (any DurableDomainEvent) -> Process.Key?,
        body:
            @escaping @Sendable (inout Process, (any DurableDomainEvent)?, inout ProcessContext<Process>) throws -> Void
    ) {
        self.trigger = trigger
        self.key = key
        self.body = body
    }
}

extension ProcessReaction {
    /// The reaction to `event`, with the key of the process that the event belongs to; `nil` if it belongs to none.
    package static func find(for event: any DurableDomainEvent) -> (reaction: Self, key: Process.Key)? {
        for reaction in Process.reactions {
            if let key = reaction.key(event) { return (reaction, key) }
        }
        return nil
    }

    /// The reaction to `timeout`.
    package static func find(for timeout: Process.Timeout) -> Self? {
        Process.reactions.first { reaction in
            if case .timeout(timeout) = reaction.trigger { true } else { false }
        }
    }

    /// Whether the reaction starts a process.
    package var starts: Bool {
        if case .event(_, starts: true) = trigger { true } else { false }
    }

    /// Changes `process`, and returns what must happen.
    ///
    /// - Throws: ``ProcessError``; the errors of the reaction.
    package func react(
        _ process: inout Process,
        to event: (any DurableDomainEvent)?,
        at now: Date
    ) throws -> ProcessContext<Process> {
        var context = ProcessContext<Process>(now: now)
        try body(&process, event, &context)
        for command in context.commands where !Process.commands.contains(where: { $0 == type(of: command) }) {
            throw ProcessError.undeclared(type(of: command), of: Process.self)
        }
        return context
    }
}

/// An error of a reaction of a process.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct ProcessError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<ProcessError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func undeclared(_ command: Any.Type, of process: Any.Type) -> ProcessError {
        ProcessError(
            code: .undeclaredCommand,
            message: """
                '\(String(naming: process))' sends '\(String(naming: command))', which it doesn't declare. To fix, add \
                '\(String(naming: command)).self' to its 'commands'.
                """
        )
    }

    static func notDelivered(_ process: Any.Type) -> ProcessError {
        ProcessError(
            code: .notDelivered,
            message: """
                An event has reached '\(String(naming: process))' without a relay. To fix, raise the event in a unit of work on \
                a store that conforms to 'DeliveryStore', and run a 'Relay' on it.
                """
        )
    }
}

extension ErrorCode<ProcessError> {
    /// A reaction sends a command that the process doesn't declare.
    public static var undeclaredCommand: Self { Self() }

    /// An event has reached the process without a relay, so its effect can't be stored exactly once.
    public static var notDelivered: Self { Self() }
}
