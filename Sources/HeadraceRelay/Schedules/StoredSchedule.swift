//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// The stored state of a ``RecurringSchedule``: add the type to the `entities` of the store.
///
/// ```swift
/// let store = try InMemoryStore(entities: [StoredSchedule.self])
/// ```
///
/// ``Schedules`` reads and changes it.
public final class StoredSchedule: StoredEntity {
    /// The name under which schedules are stored.
    public static let entityName = "headrace.schedule"

    /// The name of the schedule.
    public let id: String

    var recurrence: Recurrence
    var catchUp: CatchUp
    var isPaused = false

    /// The earliest time that hasn't fired; `nil` while the schedule is paused, and after its last time.
    private(set) var nextDue: Date?

    /// The message that is due at ``nextDue``.
    private(set) var turn: UUID?

    /// The time for which ``restart(in:)`` has scheduled another message.
    private var restartedDue: Date?

    private(set) var lastDue: Date?
    private(set) var firingCount = 0

    /// The events of the schedule: none.
    public var raisedEvents = RaisedEvents()

    init(_ schedule: RecurringSchedule) {
        id = schedule.name
        recurrence = schedule.recurrence
        catchUp = schedule.catchUp
    }

    /// Schedules the message for the time `next`, and cancels the message that waits, if there is one.
    func arm(at next: Date?, in context: EntityContext) throws {
        if let turn { context.cancelScheduled(turn) }
        nextDue = next
        turn = try next.map { next in
            let id = UUID.version7()
            let message = FireSchedule(schedule: self.id, turn: id)
            // The firing begins a chain of messages, so that the chain doesn't grow from firing to firing.
            return try context.schedule(
                message,
                named: FireSchedule.name(of: self.id),
                at: next,
                id: id,
                origin: .unknown
            )
        }
    }

    /// Schedules another message for the earliest time that hasn't fired.
    ///
    /// The message may have become a dead letter while no relay declared the schedule. Each time has one restart, so that a
    /// message that always fails ends as a dead letter.
    func restart(in context: EntityContext) throws {
        guard let nextDue, nextDue != restartedDue else { return }
        restartedDue = nextDue
        try arm(at: nextDue, in: context)
    }

    /// Notes the firing for the time `due`.
    func note(firingAt due: Date) {
        lastDue = due
        firingCount += 1
    }

    /// Forgets the message that is being handled, so that it isn't cancelled.
    func endTurn() { turn = nil }
}

/// The message of one turn of a schedule.
///
/// It is stored under a name for each schedule, so a relay leaves the schedules that it doesn't know to other relays.
struct FireSchedule: DurableCommand {
    static let commandName = "headrace.schedule"

    let schedule: String

    /// The identifier of the message.
    ///
    /// Any other turn than that of the stored schedule is obsolete.
    let turn: UUID

    static func name(of schedule: String) -> String { "\(commandName).\(schedule)" }
}
