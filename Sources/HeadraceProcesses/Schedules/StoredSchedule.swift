// SPDX-License-Identifier: Apache-2.0

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

    /// The time for which ``restart(at:in:)`` has scheduled another message.
    private var restartedDue: Date?

    /// The latest time on a clock up to which no time is open: all times up to it have fired or don't fire any more.
    ///
    /// It is later than the current time if that clock was ahead. Documents of earlier versions don't have it.
    private var reached: Date?

    private(set) var lastDue: Date?
    private(set) var firingCount = 0

    /// The events of the schedule: none.
    public var raisedEvents = RaisedEvents()

    init(_ schedule: RecurringSchedule) {
        id = schedule.name
        recurrence = schedule.recurrence
        catchUp = schedule.catchUp
    }

    /// Schedules the message for the first time after `now`; earlier times are no longer open.
    func begin(after now: Date, in context: EntityContext) throws {
        reached = max(reached ?? now, now)
        try arm(at: recurrence.next(after: now), since: now, in: context)
    }

    /// Whether the time that is due next isn't a time of the rule from now on or since the last time, because a clock was wrong.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - tolerance: The largest difference of two clocks that both count as right.
    /// - Returns: Whether it is wrong.
    func isWrong(at now: Date, tolerance: Duration) -> Bool {
        guard let nextDue else { return false }
        // The clock was before 1970.
        if nextDue < Date.usableAgain, now >= Date.usableAgain { return true }
        let latest = now.advanced(by: tolerance)
        // If another clock is a little ahead, its last time has fired before this clock reaches the time.
        let past = (reached ?? lastDue).flatMap { $0 <= latest ? $0 : nil }
        return recurrence.next(after: max(now, past ?? now)).map { nextDue > $0 } ?? false
    }

    /// The earliest time from ``nextDue`` on that is open.
    ///
    /// A clock that was behind can have set ``nextDue`` to a time that had already fired.
    func firstOpen(at now: Date) -> Date? {
        guard let nextDue else { return nil }
        guard let reached, reached <= now, nextDue <= reached else { return nextDue }
        return recurrence.next(after: reached)
    }

    /// Schedules the message for the time `next`, and cancels the message that waits, if there is one.
    ///
    /// - Parameters:
    ///   - next: The time; `nil` for none.
    ///   - now: The current time.
    ///   - context: The context of the unit of work.
    /// - Throws: The errors of ``HeadraceDomain/EntityContext/schedule(_:at:id:)``.
    func arm(at next: Date?, since now: Date, in context: EntityContext) throws {
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
                since: now,
                id: id,
                origin: .unknown
            )
        }
    }

    /// Schedules another message for the earliest time that hasn't fired.
    ///
    /// The message may have become a dead letter while no relay declared the schedule. Each time has one restart, so that a
    /// message that always fails ends as a dead letter.
    func restart(at now: Date, in context: EntityContext) throws {
        guard let nextDue, nextDue != restartedDue else { return }
        restartedDue = nextDue
        try arm(at: nextDue, since: now, in: context)
    }

    /// Stops the schedule from firing.
    func pause(in context: EntityContext) {
        if let turn { context.cancelScheduled(turn) }
        (nextDue, turn) = (nil, nil)
    }

    /// Notes that the times up to `due` are no longer open.
    func note(reached due: Date) { reached = max(reached ?? due, due) }

    /// Notes the firing for the time `due`.
    func note(firingAt due: Date) {
        lastDue = due
        firingCount += 1
        note(reached: due)
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
