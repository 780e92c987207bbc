// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceDomain
public import HeadraceStorage

/// A process manager, also called a saga: a durable state machine that reacts to events of several streams, sends commands,
/// sets time-outs, and ends.
///
/// ```swift
/// struct Fulfilment: DurableProcess {
///     static let processName = "fulfilment"
///     static let commands: [any DurableCommand.Type] = [TakePayment.self, Ship.self, CancelOrder.self]
///
///     enum Step: String, Codable { case paying, shipping, shipped, cancelled }
///     enum Timeout: String, CaseIterable { case payment }
///
///     let order: UUID
///     var step = Step.paying
///
///     init(key order: UUID) { self.order = order }
///
///     static let reactions: [ProcessReaction<Fulfilment>] = [
///         .start(on: OrderPlaced.self, by: \.order) { process, event, context in
///             context.send(TakePayment(order: process.order, amount: event.amount))
///             context.setTimeout(.payment, after: .seconds(900))
///         },
///         .on(PaymentTaken.self, by: \.order) { process, _, context in
///             process.step = .shipping
///             context.cancelTimeout(.payment)
///             context.send(Ship(order: process.order))
///         },
///         .on(Shipped.self, by: \.order) { process, _, context in
///             process.step = .shipped
///             context.end()
///         },
///         .onTimeout(.payment) { process, context in
///             process.step = .cancelled
///             context.send(CancelOrder(order: process.order))
///             context.end()
///         },
///     ]
/// }
/// ```
///
/// The type is the state of one process. Declare it with `domain(store:…processes:)`; the store must have been opened with
/// ``StoredProcess``. A ``HeadraceRelay/Relay`` delivers the events. It handles each event exactly once: the new state, the commands, the
/// time-outs, and the outcome of the delivery are stored in one transaction.
///
/// Processes with different keys are independent. If two events reach one process at the same time, the relay handles them one
/// after the other, in either order. See <doc:ProcessManagers>.
public protocol DurableProcess: Codable, Sendable {
    /// The type of the key that identifies a process among the processes of this type.
    associatedtype Key: EntityIdentifier

    /// The type of ``step``.
    associatedtype Step: RawRepresentable where Step.RawValue == String

    /// The time-outs; without a declaration there are none.
    ///
    /// A time-out is stored under its raw value, which must never change.
    associatedtype Timeout: RawRepresentable & CaseIterable & Hashable & Sendable = NoTimeout
    where Timeout.RawValue == String

    /// The name under which processes of this type and the deliveries to them are stored, which must never change, even if the
    /// type is renamed.
    ///
    /// From 1 to 200 bytes of UTF-8, without a slash.
    static var processName: String { get }

    /// The version of the state's shape, counting from 1; the default is 1.
    static var processVersion: Int { get }

    /// The migrations of states from earlier versions; none by default.
    ///
    /// There must be one migration for each earlier version that may still be stored, in order, up to ``processVersion``.
    static var processMigrations: [JSONMigration] { get }

    /// The commands that the process sends.
    ///
    /// `validate()` reports a command that no relay carries out, or that has no handler. It can't find a command that a reaction sends
    /// and that isn't listed: the reaction fails with ``ProcessError``.
    static var commands: [any DurableCommand.Type] { get }

    /// The reactions, one for each type of event and for each time-out.
    ///
    /// They are read for each event, so declare them as `static let`.
    static var reactions: [ProcessReaction<Self>] { get }

    /// Creates the state of a new process, before the reaction to its first event.
    ///
    /// It must depend on `key` only.
    init(key: Key)

    /// The current step, which inspectors and logs show.
    var step: Step { get }
}

extension DurableProcess {
    /// The default, version 1.
    public static var processVersion: Int { 1 }

    /// No migrations.
    public static var processMigrations: [JSONMigration] { [] }
}

/// The time-outs of a process that has none.
public enum NoTimeout: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// Always `nil`.
    public init?(rawValue: String) { nil }

    /// Never called, because there is no value.
    public var rawValue: String {
        switch self {}
    }
}

/// Takes the commands and time-outs of a reaction of a process.
///
/// They are stored in the transaction of the new state. If the reaction throws, there are none.
public struct ProcessContext<Process: DurableProcess>: Sendable {
    /// The time at which the reaction takes place.
    public let now: Date

    /// The commands, in the order sent.
    package private(set) var commands: [any DurableCommand] = []

    /// The last change of each time-out: its date, or `nil` if it is cancelled.
    package private(set) var timeouts: [Process.Timeout: Date?] = [:]

    /// The time-outs among ``timeouts`` whose dates count from ``now``.
    private(set) var delayed: Set<Process.Timeout> = []

    /// Whether the process has ended.
    package private(set) var isEnded = false

    init(now: Date) {
        self.now = now
    }

    /// Sends `command`: a relay carries it out after the transaction, with attempts of its own.
    ///
    /// Its type must be one of ``DurableProcess/commands``; otherwise the reaction fails with ``ProcessError``. Commands have no
    /// order. To send a command after a delay, set a time-out and send the command when it is due.
    public mutating func send(_ command: some DurableCommand) {
        commands.append(command)
    }

    /// Sets a time-out, which replaces an earlier time of the same time-out.
    ///
    /// - Parameters:
    ///   - timeout: The time-out.
    ///   - delay: The time from ``now`` on.
    public mutating func setTimeout(_ timeout: Process.Timeout, after delay: Duration) {
        setTimeout(timeout, at: now.advanced(by: delay))
        delayed.insert(timeout)
    }

    /// Sets a time-out, which replaces an earlier time of the same time-out.
    ///
    /// - Parameters:
    ///   - timeout: The time-out.
    ///   - date: The time; a time in the past means as soon as possible.
    public mutating func setTimeout(_ timeout: Process.Timeout, at date: Date) {
        timeouts[timeout] = .some(date)
        delayed.remove(timeout)
    }

    /// Cancels a time-out; without effect if it isn't set.
    ///
    /// A time-out whose time has come at the same moment has no effect once this is stored.
    public mutating func cancelTimeout(_ timeout: Process.Timeout) {
        timeouts[timeout] = .some(nil)
    }

    /// Ends the process: its time-outs are cancelled, and it ignores all later events.
    ///
    /// The store keeps the final state, so that a late event doesn't start the process again; see ``Processes``.
    public mutating func end() {
        isEnded = true
    }
}
