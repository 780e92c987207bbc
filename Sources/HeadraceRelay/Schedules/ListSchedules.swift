// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceResolution

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
