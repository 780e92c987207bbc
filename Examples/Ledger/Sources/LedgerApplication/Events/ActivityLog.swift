//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import Synchronization

/// Counts what has happened to the books since the program started.
public final class ActivityLog: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Starts with nothing.
    public init() {}

    /// Counts one more event.
    public func record<Event: DurableDomainEvent>(_ event: Event) {
        counts.withLock { $0[Event.eventName, default: 0] += 1 }
    }

    /// How often each event has happened, by its name.
    public var events: [String: Int] { counts.withLock(\.self) }
}

/// Counts the transactions, once they are stored.
public struct RecordTransactionPosted: HandlesDomainEvent, Resolvable {
    /// After the commit.
    public static let isPostCommit = true

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(ActivityLog.self)

    private let activity: ActivityLog

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        activity = scope.resolve()
    }

    /// Counts the event.
    public func handle(_ event: TransactionPosted) async throws {
        activity.record(event)
    }
}

/// Counts the accounts, once they are stored.
public struct RecordAccountOpened: HandlesDomainEvent, Resolvable {
    /// After the commit.
    public static let isPostCommit = true

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(ActivityLog.self)

    private let activity: ActivityLog

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        activity = scope.resolve()
    }

    /// Counts the event.
    public func handle(_ event: AccountOpened) async throws {
        activity.record(event)
    }
}

/// Counts the journals, once they are stored.
public struct RecordJournalImported: HandlesDomainEvent, Resolvable {
    /// After the commit.
    public static let isPostCommit = true

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(ActivityLog.self)

    private let activity: ActivityLog

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        activity = scope.resolve()
    }

    /// Counts the event.
    public func handle(_ event: JournalImported) async throws {
        activity.record(event)
    }
}
