//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HeadraceCore
public import HeadraceStorage

extension EntityContext {
    /// Schedules `command`, if the unit of work commits: a `Relay` gives it to whoever carries it out, no earlier than
    /// `date`.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - date: When; one that has passed means as soon as possible.
    ///   - id: The identifier under which it can be cancelled.
    /// - Returns: `id`.
    /// - Throws: What the command throws when it is encoded; ``HeadraceStorage/StoreError`` with the code `unusable` where the store
    ///   delivers nothing, and `invalidDate` if `date` is infinite or not a number.
    @discardableResult
    public func schedule<Command: DurableCommand>(
        _ command: Command,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        extras.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .command,
                name: Command.commandName,
                version: 1,
                dueAt: date,
                json: try DocumentCoding.encode(command),
                origin: .current
            )
        )
        return id
    }

    /// Schedules `command` as ``schedule(_:at:id:)`` does, for `delay` from now.
    @discardableResult
    public func schedule(_ command: some DurableCommand, after delay: Duration, id: UUID = .version7()) throws -> UUID {
        try schedule(command, at: Date().advanced(by: delay), id: id)
    }

    /// Schedules `event`, if the unit of work commits: a `Relay` raises it no earlier than `date`, in a unit of work of
    /// its own, with all its handlers.
    ///
    /// - Parameters:
    ///   - event: What will have happened then.
    ///   - source: The entity for which it is raised, if for one: events of one entity keep their order.
    ///   - date: When; one that has passed means as soon as possible.
    ///   - id: The identifier under which it can be cancelled.
    /// - Returns: `id`.
    /// - Throws: As of ``schedule(_:at:id:)``.
    @discardableResult
    public func schedule<Event: DurableDomainEvent>(
        event: Event,
        for source: EntityReference? = nil,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        extras.scheduled.append(
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

    /// Cancels what was scheduled under `id`, if the unit of work commits; what has taken effect stays so, and is no error.
    ///
    /// Where it is being handled at that moment, one of the two wins: a handler that writes through its unit of work
    /// finds its delivery gone, and stores nothing.
    public func cancelScheduled(_ id: UUID) {
        extras.cancellations.append(id)
    }

    private func requireDeliveries() throws {
        if storesDeliveries { return }
        throw StoreError(
            code: .unusable,
            message: """
                '\(type(of: store))' does not deliver messages, so none can be scheduled. To fix, use a store that \
                conforms to 'DeliveryStore'.
                """
        )
    }
}
