// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging

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

extension UnitOfWork<EntityContext> {
    /// Executes `body`, again up to ten times if another unit of work has changed or inserted the same schedule meanwhile.
    ///
    /// - Throws: The errors of ``HeadraceDomain/UnitOfWork/execute(_:)``.
    nonisolated(nonsending) func executeAgainAfterConflicts(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        for _ in 0..<10 {
            do {
                return try await execute(body)
            } catch let error as StoreError where error.code == .versionConflict || error.code == .alreadyExists {
                continue
            }
        }
        try await execute(body)
    }
}
