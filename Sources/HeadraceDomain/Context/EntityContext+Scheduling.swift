// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceStorage

extension EntityContext {
    /// Schedules `command` if the unit of work commits: a `Relay` carries the command out, no earlier than `date`.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - date: The time; a time in the past means as soon as possible.
    ///   - id: The identifier under which the command can be cancelled.
    /// - Returns: `id`.
    /// - Throws: The error of the command's encoding; ``HeadraceStorage/StoreError`` with the code `unusable` if the
    ///   store doesn't keep deliveries, and `invalidDate` if `date` is infinite or not a number.
    @discardableResult
    public func schedule<Command: DurableCommand>(
        _ command: Command,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try schedule(command, at: date, since: nil, id: id)
    }

    /// Schedules `command` under a name other than that of its type, and with the given origin.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - name: The name.
    ///   - date: The time.
    ///   - start: The time of a clock from which `date` counts; `nil` if `date` depends on no clock.
    ///   - id: The identifier under which the command can be cancelled.
    ///   - origin: The origin.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    package func schedule<Command: DurableCommand>(
        _ command: Command,
        named name: String = Command.commandName,
        at date: Date,
        since start: Date?,
        id: UUID = .version7(),
        origin: MessageOrigin = .current
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        // A clock before 1970 would make the message due at once.
        let usable = start?.usable
        let due = start.flatMap { start in usable?.addingTimeInterval(date.timeIntervalSince(start)) }
        relayPart.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .command,
                name: name,
                version: Command.commandVersion,
                dueAt: due ?? date,
                json: try DocumentCoding.encode(command),
                origin: origin,
                since: usable
            )
        )
        return id
    }

    /// Schedules `command` as ``schedule(_:at:id:)`` does, after `delay`.
    ///
    /// If the clock of this machine is ahead by more than the duration of a lease, and is right when a relay looks, the delay begins
    /// then.
    @discardableResult
    public func schedule(_ command: some DurableCommand, after delay: Duration, id: UUID = .version7()) throws -> UUID {
        let now = SystemValues.currentDate
        return try schedule(command, at: now.advanced(by: delay), since: now, id: id)
    }

    /// Stores `command` with the changes of the unit of work: a `Relay` carries the command out as soon as they are committed.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     context.insert(order)
    ///     try context.send(ChargeCard(orderId: order.id))
    /// }
    /// ```
    ///
    /// If the unit of work rolls back, the command isn't sent. Otherwise it takes effect as the handler of a durable event does:
    /// its changes in the same store take effect exactly once, it is retried if it fails, and it becomes a dead letter after the
    /// last attempt. Commands that are sent have no order.
    ///
    /// - Parameters:
    ///   - command: The command. A `ScheduledCommand` of its type must be registered with the relay.
    ///   - id: The identifier of the message, and the cause of all messages that the command sends.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    @discardableResult
    public func send(_ command: some DurableCommand, id: UUID = .version7()) throws -> UUID {
        // A message is due at a full millisecond, which must not lie ahead.
        let milliseconds = (SystemValues.currentDate.timeIntervalSince1970 * 1_000).rounded(.down)
        let now = Date(timeIntervalSince1970: milliseconds / 1_000)
        return try schedule(command, at: now, since: now, id: id)
    }

    /// Schedules `event` if the unit of work commits: a `Relay` raises the event no earlier than `date`.
    ///
    /// The event is raised in a separate unit of work, with all its handlers.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The entity that the event belongs to, or `nil`; events of one entity keep their order.
    ///   - date: The time; a time in the past means as soon as possible.
    ///   - id: The identifier under which the event can be cancelled.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    @discardableResult
    public func schedule<Event: DurableDomainEvent>(
        event: Event,
        for source: EntityReference? = nil,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        relayPart.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .event,
                name: Event.eventName,
                version: Event.eventVersion,
                stream: source,
                dueAt: date,
                json: try DocumentCoding.encode(event),
                origin: .current
            )
        )
        return id
    }

    /// Cancels the message that was scheduled under `id`, if the unit of work commits.
    ///
    /// If the message has already taken effect, nothing happens, and that is not an error. If it is being handled at
    /// that moment, either the cancellation or the handler wins: a handler that commits through its unit of work after
    /// the cancellation finds its delivery gone, and stores nothing.
    public func cancelScheduled(_ id: UUID) {
        relayPart.cancellations.append(id)
    }

    private func requireDeliveries() throws {
        if storesDeliveries { return }
        throw StoreError(
            code: .unusable,
            message: """
                '\(type(of: store))' does not deliver messages, so messages can't be scheduled. To fix, use a store \
                that conforms to 'DeliveryStore'.
                """
        )
    }
}
