// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage

/// The stored processes: finds and lists them, and removes those that have ended.
///
/// ```swift
/// let processes: Processes = container.resolve()
/// let fulfilment = try await processes.find(Fulfilment.self, key: order)
/// print(fulfilment?.state.step as Any, fulfilment?.timeouts[.payment] as Any)
/// ```
///
/// `domain(…)` registers it. Within a unit of work on the store, each method joins that unit of work.
public struct Processes: Sendable {
    private let store: any DeliveryStore
    private let delegator: any DomainEventDelegator

    /// Creates a value for the processes of `store`, which must have been opened with ``StoredProcess``.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - delegator: Notifies the observers of units of work.
    public init(on store: any DeliveryStore, delegator: any DomainEventDelegator) {
        self.store = store
        self.delegator = delegator
    }

    /// Returns the process with the key `key`, or `nil` if it has never started or was removed.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; the errors of decoding the state, also if a later version of the program has
    ///   stored it; `CancellationError`.
    public nonisolated(nonsending) func find<Process: DurableProcess>(
        _ type: Process.Type,
        key: Process.Key
    ) async throws -> ProcessStatus<Process>? {
        try await UnitOfWork(on: store, delegator: delegator).execute { context in
            let id = StoredProcess.id(of: Process.processName, key: key.storageKey)
            return try await context.find(StoredProcess.self, id: id).map { try ProcessStatus($0) }
        }
    }

    /// Returns the processes of `type` that haven't ended, in no guaranteed order.
    ///
    /// - Throws: The same errors as ``find(_:key:)``.
    public nonisolated(nonsending) func running<Process: DurableProcess>(
        _ type: Process.Type,
        limit: Int? = nil
    ) async throws -> [ProcessStatus<Process>] {
        try await UnitOfWork(on: store, delegator: delegator).execute { context in
            let conditions: [EntityCondition<StoredProcess>] = [.equals(.running, Process.processName)]
            return try await context.fetch(StoredProcess.self, where: conditions, limit: limit).map {
                try ProcessStatus($0)
            }
        }
    }

    /// Removes all processes that have ended before `date`.
    ///
    /// A late event that starts processes would start such a process again, so choose a date before which no event can still be
    /// on its way.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - batchLimit: Maximum number of processes that are removed in one transaction; it must be at least 1.
    /// - Returns: Number of removed processes.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`. Processes that were removed before the error stay removed.
    @discardableResult
    public nonisolated(nonsending) func removeEnded(before date: Date, batchLimit: Int = 1_000) async throws -> Int {
        precondition(batchLimit >= 1, "The batch limit is less than 1. To fix, pass 1 or more.")
        var count = 0
        while true {
            try Task.checkCancellation()
            let removed = try await UnitOfWork(on: store, delegator: delegator).execute { context in
                let conditions: [EntityCondition<StoredProcess>] = [.isBelow(.ended, date)]
                let ended = try await context.fetch(StoredProcess.self, where: conditions, limit: batchLimit)
                for process in ended { context.delete(process) }
                return ended.count
            }
            count += removed
            if removed < batchLimit { return count }
        }
    }
}

/// The state of a process.
public struct ProcessStatus<Process: DurableProcess>: Sendable {
    /// The state, migrated to the version of its type.
    public let state: Process

    /// The times of the time-outs that are set.
    public let timeouts: [Process.Timeout: Date]

    /// The time of the first reaction.
    public let startedAt: Date

    /// The time at which the process has ended; `nil` while it is running.
    public let endedAt: Date?

    /// Number of events and time-outs that the process has reacted to.
    public let handledCount: Int

    /// Number of events that were ignored because the process had ended.
    public let lateCount: Int

    init(_ stored: StoredProcess) throws {
        guard Process.decodableVersions?.contains(stored.version) == true else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: """
                        The process '\(stored.id)' was stored with version \(stored.version); '\(String(naming: Process.self))' \
                        knows \(Process.processVersion). To fix, run the version of the program that wrote it, or add a \
                        migration to its 'processMigrations'.
                        """
                )
            )
        }
        state = try stored.read(as: Process.self)
        let dates = stored.timeouts.compactMap { name, timeout in
            Process.Timeout(rawValue: name).map { ($0, timeout.due) }
        }
        timeouts = Dictionary(dates) { $1 }
        startedAt = stored.startedAt
        endedAt = stored.endedAt
        handledCount = stored.handledCount
        lateCount = stored.lateCount
    }
}
