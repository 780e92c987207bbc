// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCommands
public import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
public import HeadraceResolution
public import HeadraceStorage

/// The recurring schedules of a store: lists, pauses, resumes, and removes them.
///
/// ```swift
/// let schedules: Schedules = container.resolve()
/// try await schedules.pause("nightly-report")
/// for schedule in try await schedules.all() {
///     print(schedule.name, schedule.isPaused, schedule.times(after: .now, count: 3))
/// }
/// ```
///
/// `domain(…)` registers it. Within a unit of work on the store, each method joins that unit of work.
public struct Schedules: Sendable {
    private let store: any DeliveryStore
    private let delegator: any DomainEventDelegator
    private let wallClock: @Sendable () -> Date

    /// Creates a value for the schedules of `store`, which must have been opened with ``StoredSchedule``.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - delegator: Notifies the observers of units of work.
    ///   - wallClock: Returns the time; `nil` for the clock of the store, or of this machine if the store has none.
    public init(
        on store: any DeliveryStore,
        delegator: any DomainEventDelegator,
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.store = store
        self.delegator = delegator
        self.wallClock = wallClock ?? store.relayClock
    }

    /// Returns all stored schedules by name, also those that the program no longer declares.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func all() async throws -> [ScheduleStatus] {
        try await UnitOfWork(on: store, delegator: delegator).execute { context in
            try await context.fetch(StoredSchedule.self).map { ScheduleStatus($0) }
        }
    }

    /// Stops a schedule from firing until ``resume(_:)``; a paused schedule stays paused after a restart.
    ///
    /// Commands that it has sent before still take effect.
    ///
    /// - Throws: ``ScheduleError`` if the store has no schedule of that name; ``HeadraceStorage/StoreError``.
    public nonisolated(nonsending) func pause(_ name: String) async throws {
        try await change(name) { stored, context in
            stored.isPaused = true
            stored.pause(in: context)
        }
    }

    /// Lets a paused schedule fire at its next time from now on; times during the pause are not caught up.
    ///
    /// If the schedule isn't paused, it continues with the earliest time that hasn't fired. So this restarts a schedule whose
    /// message has become a dead letter.
    ///
    /// - Throws: The same errors as ``pause(_:)``.
    public nonisolated(nonsending) func resume(_ name: String) async throws {
        let now = wallClock().usable
        try await change(name) { stored, context in
            let due = stored.isPaused ? nil : stored.nextDue
            stored.isPaused = false
            if let due {
                try stored.arm(at: due, since: now, in: context)
            } else {
                try stored.begin(after: now, in: context)
            }
        }
    }

    /// Removes a schedule that the program no longer declares; a relay that declares it stores it again when it starts.
    ///
    /// It begins again then, without a pause and with the count 0.
    ///
    /// - Throws: The same errors as ``pause(_:)``.
    public nonisolated(nonsending) func remove(_ name: String) async throws {
        try await change(name) { stored, context in
            stored.pause(in: context)
            context.delete(stored)
        }
    }

    private nonisolated(nonsending) func change(
        _ name: String,
        _ change: (StoredSchedule, EntityContext) throws -> Void
    ) async throws {
        try await UnitOfWork(on: store, delegator: delegator).executeAgainAfterConflicts { context in
            guard let stored = try await context.find(StoredSchedule.self, id: name) else {
                throw ScheduleError.unknown(name)
            }
            try change(stored, context)
        }
    }
}

/// The state of a recurring schedule.
public struct ScheduleStatus: Hashable, Sendable {
    /// The name.
    public let name: String

    /// The times.
    public let recurrence: Recurrence

    /// The times at which it fires late.
    public let catchUp: CatchUp

    /// Whether it is paused.
    public let isPaused: Bool

    /// The earliest time that hasn't fired; `nil` while it is paused, or if there is no further time.
    public let nextDue: Date?

    /// The time of the last firing, which may have happened later; `nil` before the first.
    public let lastDue: Date?

    /// Number of firings.
    public let firingCount: Int

    init(_ stored: StoredSchedule) {
        name = stored.id
        recurrence = stored.recurrence
        catchUp = stored.catchUp
        isPaused = stored.isPaused
        nextDue = stored.nextDue
        lastDue = stored.lastDue
        firingCount = stored.firingCount
    }

    /// Returns the next `count` times after `date`, as if it weren't paused.
    public func times(after date: Date, count: Int) -> [Date] { recurrence.times(after: date, count: count) }
}

/// A query for all recurring schedules of the domain, by name.
///
/// ```swift
/// let schedules = try await dispatcher.dispatch(ListSchedules())
/// ```
public struct ListSchedules: CQDQuery {
    /// The state of each schedule.
    public typealias Value = [ScheduleStatus]

    /// Creates the query.
    public init() {}
}

/// Handles ``ListSchedules`` with the ``Schedules`` of the domain.
public struct ListSchedulesHandler: HandlesQuery, Resolvable {
    private let schedules: Schedules

    /// The handler resolves ``Schedules``.
    public static var dependencies: Dependencies { Dependencies().on(Schedules.self) }

    /// Creates a handler with the schedules from `scope`.
    public init(scope: borrowing any DependencyResolutionScope) {
        schedules = scope.resolve()
    }

    /// Returns all schedules.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func handle(_ query: ListSchedules) async throws -> [ScheduleStatus] {
        try await schedules.all()
    }
}

/// An error of ``Schedules``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct ScheduleError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<ScheduleError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func unknown(_ name: String) -> ScheduleError {
        ScheduleError(
            code: .unknownSchedule,
            message: """
                The store has no schedule '\(name)'. To fix, use a name that 'Schedules.all()' returns, or run a relay that \
                declares the schedule.
                """
        )
    }
}

extension ErrorCode<ScheduleError> {
    /// The store has no schedule of that name.
    public static var unknownSchedule: Self { Self() }
}
