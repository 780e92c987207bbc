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
public struct RecordTransactionPosted: DomainEventHandler {
    /// After the commit.
    public static let isPostCommit = true

    /// Counts the event.
    public static func handle(event: TransactionPosted, resolver: any DependencyResolver) async throws {
        resolver.resolve(ActivityLog.self).record(event)
    }
}

/// Counts the accounts, once they are stored.
public struct RecordAccountOpened: DomainEventHandler {
    /// After the commit.
    public static let isPostCommit = true

    /// Counts the event.
    public static func handle(event: AccountOpened, resolver: any DependencyResolver) async throws {
        resolver.resolve(ActivityLog.self).record(event)
    }
}

/// Counts the journals, once they are stored.
public struct RecordJournalImported: DomainEventHandler {
    /// After the commit.
    public static let isPostCommit = true

    /// Counts the event.
    public static func handle(event: JournalImported, resolver: any DependencyResolver) async throws {
        resolver.resolve(ActivityLog.self).record(event)
    }
}
