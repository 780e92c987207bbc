// SPDX-License-Identifier: Apache-2.0

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
/// ``StoredProcess``. A ``Relay`` delivers the events. It handles each event exactly once: the new state, the commands, the
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
