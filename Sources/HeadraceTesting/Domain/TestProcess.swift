// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceDomain
public import HeadraceProcesses
import HeadraceStorage

/// A process without a store and a relay, for tests of its reactions.
///
/// ```swift
/// var fulfilment = TestProcess(Fulfilment.self)
/// try fulfilment.given(OrderPlaced(order: order, amount: 100))
/// try fulfilment.when(PaymentTaken(order: order))
///
/// #expect(fulfilment.sent(Ship.self) == [Ship(order: order)])
/// #expect(fulfilment.timeouts.isEmpty)
/// ```
///
/// It does what a relay does with the events and time-outs of one process, and takes no time. After each reaction, the state is
/// encoded and decoded as in a store. The date is the date of the test.
public struct TestProcess<Process: DurableProcess> {
    /// The state; `nil` until an event has started the process.
    public private(set) var state: Process?

    /// Whether the process has ended.
    public private(set) var isEnded = false

    /// The date of the process.
    public private(set) var date: Date

    /// The times of the time-outs that are set.
    public private(set) var timeouts: [Process.Timeout: Date] = [:]

    /// The commands that the process has sent since the last `given` or `when`, in the order sent.
    public private(set) var commands: [any DurableCommand] = []

    /// The events that the process has ignored since the last `given` or `when`.
    ///
    /// An event is ignored if the process has no reaction to it, if it belongs to another process, if there is no process yet and
    /// the event doesn't start one, or if the process has ended.
    public private(set) var ignored: [any DurableDomainEvent] = []

    private var key: Process.Key?

    /// Creates a process that no event has started yet.
    ///
    /// - Parameters:
    ///   - type: The type of process.
    ///   - date: The date at the beginning.
    public init(_ type: Process.Type = Process.self, date: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.date = date
    }

    /// Lets the process react to `events` before the part that is tested; ``commands`` and ``ignored`` are empty afterwards.
    ///
    /// - Throws: The errors of reactions; ``HeadraceProcesses/ProcessError``; the errors of encoding and decoding the state. Then
    ///   nothing has changed.
    public mutating func given(_ events: any DurableDomainEvent...) throws {
        try change { process in
            for event in events { try process.react(to: event) }
            (process.commands, process.ignored) = ([], [])
        }
    }

    /// Lets the process react to `event`.
    ///
    /// - Throws: The same errors as ``given(_:)``; then nothing has changed.
    public mutating func when(_ event: some DurableDomainEvent) throws {
        try change { process in
            (process.commands, process.ignored) = ([], [])
            try process.react(to: event)
        }
    }

    /// Lets time pass, and each time-out fire at its time.
    ///
    /// - Parameter duration: The time; it must not be negative.
    /// - Throws: The same errors as ``given(_:)``; ``TestProcessError`` if time-outs fire again and again at one date. Then nothing
    ///   has changed.
    public mutating func whenTimePasses(_ duration: Duration) throws {
        precondition(duration >= .zero, "The time that passes is negative. To fix, pass zero or more.")
        try change { process in
            (process.commands, process.ignored) = ([], [])
            try process.fireTimeouts(until: process.date.advanced(by: duration))
        }
    }

    /// Changes the process by `body`, unless that throws.
    private mutating func change(_ body: (inout TestProcess) throws -> Void) rethrows {
        var copy = self
        try body(&copy)
        self = copy
    }

    private mutating func fireTimeouts(until end: Date) throws {
        var count = 0
        while let (timeout, due) = timeouts.min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }),
            due <= end
        {
            count = due > date ? 1 : count + 1
            if count > Self.firingLimit { throw TestProcessError.endlessTimeout(timeout.rawValue, of: Process.self) }
            date = max(date, due)
            timeouts[timeout] = nil
            guard let reaction = ProcessReaction<Process>.find(for: timeout), let state else { continue }
            try react(state, to: nil, by: reaction)
        }
        date = end
    }

    /// Maximum number of time-outs that fire at one date.
    private static var firingLimit: Int { 10_000 }

    /// The commands of `type` among ``commands``, in the order sent.
    public func sent<Command: DurableCommand>(_ type: Command.Type) -> [Command] {
        commands.compactMap { $0 as? Command }
    }

    private mutating func react(to event: any DurableDomainEvent) throws {
        guard let (reaction, key) = ProcessReaction<Process>.find(for: event), self.key == nil || self.key == key,
            !isEnded, state != nil || reaction.starts
        else { return ignored.append(event) }
        try react(state ?? Process(key: key), to: event, by: reaction)
        self.key = key
    }

    private mutating func react(
        _ state: Process,
        to event: (any DurableDomainEvent)?,
        by reaction: ProcessReaction<Process>
    ) throws {
        var state = state
        let result = try reaction.react(&state, to: event, at: date)
        self.state = try Process.decode(DocumentCoding.encode(state), version: Process.processVersion)
        commands += result.commands
        for (timeout, date) in result.timeouts { timeouts[timeout] = date }
        if result.isEnded {
            isEnded = true
            timeouts = [:]
        }
    }
}

/// An error of a ``TestProcess``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct TestProcessError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<TestProcessError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func endlessTimeout(_ timeout: String, of process: Any.Type) -> TestProcessError {
        TestProcessError(
            code: .endlessTimeout,
            message: """
                The time-outs of '\(String(naming: process))' don't end: 10,000 have fired at one date, the last one '\(timeout)'. \
                To fix, set a time-out for a later date in its reaction.
                """
        )
    }
}

extension ErrorCode<TestProcessError> {
    /// Time-outs fire again and again at one date, because a reaction sets a time-out for the same date.
    public static var endlessTimeout: Self { Self() }
}
