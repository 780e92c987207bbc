// SPDX-License-Identifier: Apache-2.0

#if SQLite
public import Foundation
import GRDB
public import HeadraceStorage

extension SQLiteStore: DeliveryStore {
    // Leases and settlements survive the end of the process. They need not survive a power failure: after a lost
    // acknowledgement, the delivery is repeated, and a lost attempt does not count. So they don't wait for the disk.
    // The commit of a handler waits, and with it everything written before it is on disk.

    /// Leases lanes that are due.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try request.requireUsableClock()
        let checksClocks = clockRepairTimer.isDue(request)
        // A search for wrong clocks reads many lanes.
        let (nothing, replaying): (LeasedDeliveries?, [String]) = try await read(isBrief: !checksClocks) { database in
            let leasing = LeaseQueries(request, checksClocks: checksClocks, in: database)
            return (try leasing.isDue() ? nil : leasing.nothing(), try leasing.replaying())
        }
        var leased =
            if let nothing {
                nothing
            } else {
                try await write(isDurable: false, after: .afterLease) {
                    try LeaseQueries(request, checksClocks: checksClocks, in: $0).lease()
                }
            }
        // A process that began a replay may have ended.
        for name in replaying where !replays.contain(name) {
            do {
                _ = try await write { try ReplayWriter($0).advance(name) }
                leased.nextDue = request.now.advanced(by: Self.replayGap)
            } catch  where !leased.lanes.isEmpty {
                // The leased lanes would wait for the end of their leases. The next request tries again.
                continue
            }
        }
        return leased
    }

    /// Applies `settlements`, each completely or not at all.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        let refused = try await write(isDurable: false, before: .beforeAcknowledge) { database in
            try settlements.filter { try !SettlementWriter(database).settle($0) }.map(\.lease)
        }
        if settlements.contains(where: \.leavesUnknown) { deliverySignal.notify() }
        return refused
    }

    /// Extends `leases` until `date`.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await write(isDurable: false) { database in
            try leases.filter { try !SettlementWriter(database).renew($0, until: date) }
        }
    }

    /// Returns the record under an idempotency key, or `nil` if no record exists.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await read(isBrief: true) { try DeliveryReader.idempotencyRecord(for: key, in: $0) }
    }

    /// Returns a page of the deliveries that aren't completed.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery] {
        try await read { try PendingDeliveryQuery(request: request).page(in: $0) }
    }

    /// Makes deliveries due that wait for their next attempt.
    ///
    /// - Returns: The number of deliveries.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int {
        let count = try await write { database in
            try ids.count(where: { try PendingDeliveryWriter(database: database).retry($0, now: now) })
        }
        deliverySignal.notify()
        return count
    }

    /// Moves deliveries that aren't running to the dead letters.
    ///
    /// - Returns: The number of deliveries.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int {
        let count = try await write { database in
            try ids.count(where: {
                try PendingDeliveryWriter(database: database).cancel($0, reason: reason, now: now)
            })
        }
        deliverySignal.notify()
        return count
    }

    /// Returns at most `limit` dead letters with IDs greater than `id`, in ascending order.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await read { try DeliveryReader.deadLetters(after: id, of: subscription, limit: limit, in: $0) }
    }

    /// Returns the dead letter `id`, or `nil` if it no longer exists.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        try await read { try DeliveryReader.deadLetter(id, in: $0) }
    }

    /// Delivers dead letters again, each in a separate lane.
    ///
    /// - Returns: The number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int {
        let count = try await write { database in
            try ids.count(where: { try DeliveryWriter(database).replayDeadLetter($0) })
        }
        deliverySignal.notify()
        return count
    }

    /// Corrects the content of a dead letter, and delivers it again in a separate lane.
    ///
    /// - Returns: Whether the dead letter still existed; otherwise nothing was changed.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        let isReplayed = try await write { try DeliveryWriter($0).replayDeadLetter(id, correctedTo: json) }
        deliverySignal.notify()
        return isReplayed
    }

    /// Deletes dead letters.
    ///
    /// - Returns: The number of deleted dead letters.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int {
        try await write { database in
            try ids.count(where: { try DeliveryWriter(database).discardDeadLetter($0) })
        }
    }

    /// Delivers events of the log to a subscription again.
    ///
    /// A replay of more than 10,000 events takes several transactions, so that other writers don't wait long. No delivery of the
    /// subscription is leased until the replay is complete. If this throws an error or the process ends meanwhile, relays that
    /// handle the subscription complete the replay, or the next replay of the subscription does.
    ///
    /// - Returns: The number of events.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func replay(
        _ subscription: String,
        eventsNamed names: Set<String>,
        after position: Int64
    ) async throws -> Int {
        replays.begin(subscription)
        defer {
            replays.end(subscription)
            deliverySignal.notify()
        }
        // A replay that isn't complete comes first.
        var progress = try await write {
            try ReplayWriter($0).begin(subscription, eventsNamed: names, after: position)
        }
        while progress == nil {
            await Self.letOthersWrite()
            progress = try await write { database in
                let writer = ReplayWriter(database)
                _ = try writer.advance(subscription)
                return try writer.begin(subscription, eventsNamed: names, after: position)
            }
        }
        while let last = progress, !last.isComplete {
            writerContext.faults?(.afterReplayPart)
            await Self.letOthersWrite()
            progress = try await write { try ReplayWriter($0).advance(subscription) }
        }
        return progress?.count ?? 0
    }

    /// Time between two parts of a replay.
    ///
    /// Other processes that wait for the write lock look for it at least every 100 milliseconds.
    private static let replayGap = Duration.milliseconds(100)

    /// Waits between two parts of a replay; cancellation of the task doesn't stop the replay.
    private static func letOthersWrite() async {
        await Task { try? await Task.sleep(for: replayGap) }.value
    }

    /// Pauses a subscription for all programs that use the file, until it is resumed.
    ///
    /// Relays of this store notice it at once, and relays of other processes with their next request for leases.
    ///
    /// - Returns: Whether the subscription exists.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func pause(_ subscription: String, at date: Date) async throws -> Bool {
        let exists = try await write { try DeliveryWriter($0).setPause(of: subscription, since: date) }
        deliverySignal.notify()
        return exists
    }

    /// Ends the pause of a subscription.
    ///
    /// - Returns: Whether the subscription exists.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func resume(_ subscription: String) async throws -> Bool {
        let exists = try await write { try DeliveryWriter($0).setPause(of: subscription, since: nil) }
        deliverySignal.notify()
        return exists
    }

    /// Removes the rows that `request` selects, the oldest first.
    ///
    /// - Returns: The number of removed rows.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func prune(_ request: PruneRequest) async throws -> Int {
        try await write { try DeliveryWriter($0).prune(request) }
    }

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func prunedPosition() async throws -> Int64 {
        try await read { try DeliveryReader.prunedPosition(in: $0) }
    }

    /// Returns the progress of the subscriptions.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func deliveryStatistics() async throws -> DeliveryStatistics {
        try await read { try DeliveryReader.statistics(in: $0) }
    }

    /// Runs `body` in a transaction, between the given fault points.
    ///
    /// Cancellation of the task does not stop it.
    private func write<Value: Sendable>(
        isDurable: Bool = true,
        before earlier: FaultPoint? = nil,
        after later: FaultPoint? = nil,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await SQLiteErrorMapper(path: path).translating {
            try await withCheckedThrowingContinuation { continuation in
                connections.asyncWriteWithoutTransaction { [writerContext] database in
                    if let earlier { writerContext.faults?(earlier) }
                    let result = Result {
                        try writerContext.syncMode.run(isDurable ? .durable : .relaxed, in: database) {
                            try Self.transact(writerContext.check, body, in: database)
                        }
                    }
                    if let later { writerContext.faults?(later) }
                    continuation.resume(with: result)
                }
            }
        }
    }

    private static func transact<Value>(
        _ check: FileSchemaCheck,
        _ body: (Database) throws -> Value,
        in database: Database
    ) throws -> Value {
        try database.inWriteTransaction {
            try check.requireCurrent(in: database)
            return try body(database)
        }
    }
}

extension SQLiteStore {
    /// Returns everything that is in the file, for a copy into a store of another kind.
    ///
    /// A commit during the copy would be missing in it, so the copy then fails. End all other programs that use the
    /// file, and close the store only after the copy.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read; `CancellationError`.
    public func contents() async throws -> StoreContents {
        try Task.checkCancellation()
        try await read { _ in }
        return try SQLiteErrorMapper(path: path).translating {
            StoreContents(try TableReader(path: path) { try connections.snapshot() })
        }
    }
}

extension SQLiteStore {
    /// Returns the damage that SQLite finds in the file: damaged pages and indexes, and references to missing rows.
    ///
    /// It reads the whole file. Other programs can write meanwhile.
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
    ///
    /// - Returns: A sentence of SQLite for each place, at most about 200; empty if there is no damage.
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read, with the code `corrupt` if it is damaged too
    ///   much for the check; `CancellationError`.
    public func findDamage() async throws -> [String] {
        try await read { database in
            let problems = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            let missing = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check").prefix(100).map { row in
                // A table without row numbers has none in the result either.
                let number: Int64? = row["rowid"]
                let place = number.map { "row \($0)" } ?? "a row"
                return
                    "\(place) of the table '\(row["table"] ?? "")' refers to a missing row of '\(row["parent"] ?? "")'"
            }
            return try problems + Array(missing)
        }
    }
}
#endif
