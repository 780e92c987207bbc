// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import Logging

/// A named schedule that sends a command at recurring times.
///
/// ```swift
/// RecurringSchedule("nightly-report", try .cron("0 3 * * *", in: berlin)) { due in MakeReport(date: due) }
/// ```
///
/// Declare it with `domain(store:…schedules:)`. For each time that is due, one relay sends one command, however many processes
/// run and however often they restart. The command and the next time are stored in one transaction, and the command has attempts
/// of its own. See <doc:RecurringSchedules>.
public struct RecurringSchedule: Sendable {
    /// The name under which the schedule is stored.
    public let name: String

    /// The times.
    public let recurrence: Recurrence

    /// The times at which the schedule fires late.
    public let catchUp: CatchUp

    let command: any DurableCommand.Type
    let send: @Sendable (Date, EntityContext) throws -> Void

    /// Declares a schedule.
    ///
    /// - Parameters:
    ///   - name: The name, from 1 to 200 bytes of UTF-8. It must never change: a schedule with another name is another schedule.
    ///   - recurrence: The times. If they differ from the stored times when a relay starts, the schedule begins again from then.
    ///   - catchUp: The times at which it still fires if no relay was running when they were due.
    ///   - command: Returns the command for the time that is due. A `ScheduledCommand` of its type must be declared, too.
    public init<Command: DurableCommand>(
        _ name: String,
        _ recurrence: Recurrence,
        catchUp: CatchUp = .last,
        sending command: @escaping @Sendable (_ due: Date) -> Command
    ) {
        self.name = name
        self.recurrence = recurrence
        self.catchUp = catchUp
        self.command = Command.self
        // At a time that the clock of the relay has reached, which may be behind the clock of this machine. If that clock is ahead,
        // the command doesn't wait for the other clocks.
        send = { due, context in _ = try context.schedule(command(due), at: due, since: due) }
    }
}

/// Fires the schedules that a relay knows.
struct ScheduleRunner: Sendable {
    let schedules: [RecurringSchedule]
    let store: any DeliveryStore
    let delegator: any DomainEventDelegator
    let wallClock: @Sendable () -> Date

    /// The time to the millisecond, as the store compares it with the times of messages.
    private var now: Date { wallClock().usable }

    /// Lets `relay` fire the schedules, and store them before its first lease.
    func register(in relay: Relay) {
        if schedules.isEmpty { return }
        if !store.schema.contains(StoredSchedule.entityName) {
            relay.note(
                mistake: """
                    The store was not opened with 'StoredSchedule', so it can't keep schedules. To fix, add \
                    'StoredSchedule.self' to the 'entities' that the store is created with.
                    """
            )
        }
        var names: Set<String> = []
        for name in schedules.map(\.name) {
            if !names.insert(name).inserted {
                relay.note(mistake: "Two schedules have the name '\(name)'. To fix, give each schedule a unique name.")
            }
            if !(1...200).contains(name.utf8.count) {
                relay.note(
                    mistake: """
                        The name of the schedule '\(name)' has \(name.utf8.count) bytes. To fix, give it a name of 1 to 200 bytes.
                        """
                )
            }
        }
        let tolerance = relay.configuration.leaseDuration
        for schedule in schedules {
            let route = CommandRoute { (message: FireSchedule, context: EntityContext) in
                try await fire(schedule, message, tolerance: tolerance, in: context)
            }
            relay.add(route, named: FireSchedule.name(of: schedule.name))
        }
        relay.beforeFirstLease { try await storeAll(tolerance: tolerance) }
    }

    private nonisolated(nonsending) func fire(
        _ schedule: RecurringSchedule,
        _ message: FireSchedule,
        tolerance: Duration,
        in context: EntityContext
    ) async throws {
        let stored = try await context.find(StoredSchedule.self, id: schedule.name)
        // The message of a schedule that was paused, changed, or removed meanwhile is obsolete.
        guard let stored, stored.turn == message.turn, stored.nextDue != nil else { return }
        stored.endTurn()
        let now = now
        // The clock that set the time was ahead by so much that the store has moved the message, or it was before 1970.
        if stored.isWrong(at: now, tolerance: tolerance) { return try stored.begin(after: now, in: context) }
        guard let due = stored.firstOpen(at: now) else { return stored.pause(in: context) }
        // The clock of another process may be a little ahead.
        if due > now.advanced(by: tolerance) { return try stored.arm(at: due, since: now, in: context) }
        let (fires, next) = stored.catchUp.decision(due: due, now: max(now, due), stored.recurrence)
        if let fires {
            try schedule.send(fires, context)
            stored.note(firingAt: fires)
        }
        try stored.arm(at: next, since: now, in: context)
    }

    /// Stores new schedules, and schedules that were declared with other times, and restarts schedules that have stopped.
    ///
    /// A schedule whose stored state can't be read is logged and left as it is, so that all other deliveries don't wait for it.
    private nonisolated(nonsending) func storeAll(tolerance: Duration) async throws {
        for schedule in schedules {
            do {
                try await UnitOfWork(on: store, delegator: delegator).executeAgainAfterConflicts { context in
                    try await store(schedule, tolerance: tolerance, in: context)
                }
            } catch let error as StoreError where error.code == .undecodable {
                Logger.current.error(
                    "A recurring schedule can't be read, so it doesn't fire",
                    metadata: ["headrace.schedule": "\(schedule.name)", "error": "\(error)"]
                )
            }
        }
    }

    private nonisolated(nonsending) func store(
        _ schedule: RecurringSchedule,
        tolerance: Duration,
        in context: EntityContext
    ) async throws {
        let now = now
        guard let stored = try await context.find(StoredSchedule.self, id: schedule.name) else {
            let new = StoredSchedule(schedule)
            context.insert(new)
            return try new.begin(after: now, in: context)
        }
        stored.catchUp = schedule.catchUp
        if stored.recurrence != schedule.recurrence {
            stored.recurrence = schedule.recurrence
            if !stored.isPaused { try stored.begin(after: now, in: context) }
        } else if stored.isWrong(at: now, tolerance: tolerance) {
            try stored.begin(after: now, in: context)
        } else if let due = stored.nextDue, due <= now {
            try stored.restart(at: now, in: context)
        }
    }
}
