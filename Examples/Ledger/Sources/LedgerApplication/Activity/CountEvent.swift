// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// Counts the events of one type in the ``ActivityLog`` after they are stored.
public struct CountEvent<Event: DurableDomainEvent>: HandlesDomainEvent, Resolvable {
    /// True: it runs after the commit.
    public static var isPostCommit: Bool { true }

    /// The types that the handler resolves.
    public static var dependencies: Dependencies { Dependencies().on(ActivityLog.self) }

    private let activity: ActivityLog

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        activity = scope.resolve()
    }

    /// Counts `event`.
    public func handle(_ event: Event) async throws {
        activity.record(event)
    }
}
