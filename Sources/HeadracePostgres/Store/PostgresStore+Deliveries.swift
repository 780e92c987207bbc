// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import Foundation
public import HeadraceDomain
public import HeadraceStorage

extension PostgresStore: DeliveryStore {
    /// Returns the server's time, as measured when the store was opened and with each renewal of leases.
    public var wallClock: (@Sendable () -> Date)? {
        { [clock] in clock.now }
    }

    // Settlements don't wait for the disk, as they can be lost in a crash of the server: a delivery whose acknowledgement is
    // lost is repeated, and later settlements of its lane are refused. Leases and renewals wait for the disk after their lock is
    // free, because this process relies on them. The commit of a handler waits, and with it everything written before it is
    // on the disk.

    /// Leases lanes that are due.
    ///
    /// The leases, and the events of their deliveries, are on the disk when this returns. The lock of the writers is held only
    /// until the lanes are leased: their messages are read afterwards, so a process that is stopped while it reads stops no
    /// other process.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `schemaChanged` if nothing is due after another program has locked
    ///   out this one.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try request.requireUsableClock()
        let checksClocks = clockRepairTimer.isDue(request)
        let leased = try await mapper.translating {
            try await Leasing(session: try await deliveries.session(), target: target, check: check, hints: leaseHints)
                .lease(request, checksClocks: checksClocks)
        }
        faults?(.afterLease)
        return leased
    }

    /// Applies `settlements`, each completely or not at all.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `outcomeUnknown` if the connection ends meanwhile. Then the
    ///   same settlements can be applied again: those that were applied already are refused.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        faults?(.beforeAcknowledge)
        if settlements.isEmpty { return [] }
        var tables = ArgumentTables(SettlementProcedure.columns)
        var rounds: [Int64: Int64] = [:]
        tables.append(settlements, rounds: &rounds)
        let chosen = PostgresValue.integers((1...settlements.count).map(Int64.init))
        let refused = try await write(SettlementProcedure.call, [chosen] + tables.values)
        if settlements.contains(where: \.leavesUnknown) { notifyRelays() }
        return try refused.rows.map { settlements[Int(try $0.integer(0)) - 1].lease }
    }

    /// Extends `leases` until `date`, and measures the server's time.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        let rows = try await mapper.translating(.unknown) {
            try await deliveries.session().run(
                "CALL \(target.quotedSchema).renew_leases($1, $2, $3, $4, $5, NULL)",
                target.callSettings + [
                    .integers(leases.map(\.lane)), .integers(leases.map(\.token)),
                    .integer(max(1, date.milliseconds)),
                ],
                isAlone: true
            )
        }
        try await mapper.translating { try await clock.measure(on: try await deliveries.session()) }
        let refused = try rows.first?.optionalIntegers(0) ?? []
        return refused.compactMap { $0.map { leases[Int($0) - 1] } }
    }

    /// Returns the record under an idempotency key, or `nil` if no record exists.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await read { try await DeliveryReading(session: $0.session).idempotencyRecord(for: key) }
    }

    /// Returns a page of the deliveries that aren't completed.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery] {
        try await read { try await PendingDeliveryReading(session: $0.session, request: request).page() }
    }

    /// Makes deliveries due that wait for their next attempt.
    ///
    /// - Returns: The number of deliveries.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int {
        let rows = try await write(
            "SELECT retry_deliveries($1, $2, $3)",
            [.integers(ids.map(\.lane)), .integers(ids.map(\.position)), .integer(now.milliseconds)])
        notifyRelays()
        return Int(try rows.first?.integer(0) ?? 0)
    }

    /// Moves deliveries that aren't running to the dead letters.
    ///
    /// - Returns: The number of deliveries.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int {
        let rows = try await write(
            "SELECT cancel_deliveries($1, $2, $3, $4)",
            [
                .integers(ids.map(\.lane)), .integers(ids.map(\.position)), .bytes([UInt8](reason)),
                .integer(now.milliseconds),
            ])
        notifyRelays()
        return Int(try rows.first?.integer(0) ?? 0)
    }

    /// Returns at most `limit` dead letters with IDs greater than `id`, in ascending order.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await read {
            try await DeliveryReading(session: $0.session).deadLetters(after: id, of: subscription, limit: limit)
        }
    }

    /// Returns the dead letter `id`, or `nil` if it no longer exists.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        try await read { try await DeliveryReading(session: $0.session).deadLetter(id) }
    }

    /// Delivers dead letters again, each in a separate lane.
    ///
    /// - Returns: The number of dead letters that are delivered again.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int {
        let rows = try await write("SELECT replay_dead_letters($1)", [.integers(ids)])
        notifyRelays()
        return Int(try rows.first?.integer(0) ?? 0)
    }

    /// Corrects the content of a dead letter, and delivers it again in a separate lane.
    ///
    /// - Returns: Whether the dead letter still existed; otherwise nothing was changed.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        let rows = try await write("SELECT replay_corrected($1, $2)", [.integer(id), .text([UInt8](json))])
        notifyRelays()
        return try rows.first?.flag(0) ?? false
    }

    /// Deletes dead letters.
    ///
    /// - Returns: The number of deleted dead letters.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int {
        Int(try await write("SELECT discard_dead_letters($1)", [.integers(ids)]).first?.integer(0) ?? 0)
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
        try TextLimit.require(subscription, "subscription")
        defer { notifyRelays() }
        return try await mapper.translating(.unknown) {
            let replaying = Replaying(session: try await deliveries.session())
            // A replay that isn't complete comes first.
            var progress = try await replaying.begin(subscription, eventsNamed: names, after: position)
            while progress == nil {
                _ = try await replaying.advance(subscription, waits: true)
                progress = try await replaying.begin(subscription, eventsNamed: names, after: position)
            }
            while let last = progress, !last.isComplete {
                faults?(.afterReplayPart)
                progress = try await replaying.advance(subscription, waits: true)
            }
            return progress?.count ?? 0
        }
    }

    /// Pauses a subscription for all programs on the database, until it is resumed.
    ///
    /// - Returns: Whether the subscription exists.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func pause(_ subscription: String, at date: Date) async throws -> Bool {
        try await setPause(of: subscription, since: date)
    }

    /// Ends the pause of a subscription.
    ///
    /// - Returns: Whether the subscription exists.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func resume(_ subscription: String) async throws -> Bool {
        try await setPause(of: subscription, since: nil)
    }

    private func setPause(of subscription: String, since date: Date?) async throws -> Bool {
        let rows = try await write(
            "SELECT set_pause($1, $2)", [.bytes([UInt8](subscription)), .integer(date?.milliseconds)])
        notifyRelays()
        return try rows.first?.flag(0) ?? false
    }

    /// Removes the rows that `request` selects, the oldest first.
    ///
    /// - Returns: The number of removed rows.
    /// - Throws: ``HeadraceStorage/StoreError``.
    public func prune(_ request: PruneRequest) async throws -> Int {
        let rows = try await write(
            "SELECT prune($1, $2, $3)",
            [
                .integer(request.idempotencyRecordsBefore?.milliseconds), .integer(request.eventsBefore?.milliseconds),
                .integer(Int64(max(0, request.limit))),
            ]
        )
        return Int(try rows.first?.integer(0) ?? 0)
    }

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func prunedPosition() async throws -> Int64 {
        try await read { try await DeliveryReading(session: $0.session).prunedPosition() }
    }

    /// Returns the progress of the subscriptions.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `schemaChanged` after another program has locked out this one;
    ///   `CancellationError`.
    public func deliveryStatistics() async throws -> DeliveryStatistics {
        try await read { [check] reading in
            try await check.requireCurrent(on: reading.session)
            return try await DeliveryReading(session: reading.session).statistics()
        }
    }

    /// Runs a statement that changes deliveries; cancellation doesn't stop it.
    private func write(_ sql: String, _ values: [PostgresValue]) async throws -> PostgresRows {
        try await mapper.translating(.unknown) { try await deliveries.session().run(sql, values) }
    }

    private func notifyRelays() {
        deliverySignal.notify()
        notifier.note(nil)
    }
}

extension PostgresStore {
    /// Copies the contents of another store into a new schema of a database.
    ///
    /// The copy has the same entities with their versions, events with their positions, deliveries, dead letters, scheduled
    /// messages, and idempotency keys. Later events, lanes, and dead letters continue the numbers of the original, so
    /// programs that have stored a position can go on from it. The copy builds the indexes of `schema`, and compares
    /// each row with the original.
    ///
    /// All of it is one transaction: if the copy fails, is cancelled, or is killed, the database is unchanged.
    ///
    /// - Parameters:
    ///   - contents: The contents of the other store.
    ///   - url: The connection URL or connection string, as for ``init(url:schema:configuration:)``.
    ///   - schema: The types of entity. Entities of other types are copied, too.
    ///   - configuration: The settings, with the name of the schema.
    /// - Returns: Numbers of the copied rows.
    /// - Throws: The errors of ``init(url:schema:configuration:)``; ``HeadraceStorage/StoreError`` with the code `unusable` if
    ///   the schema has tables; `tooLong` if a key or an indexed text has more than 1,000 bytes; `locked` if a program
    ///   has changed the original meanwhile; `outcomeUnknown` if the connection ends during the copy;
    ///   `CancellationError`.
    public static func copy(
        _ contents: StoreContents,
        to url: String,
        schema: EntitySchema,
        configuration: Configuration = Configuration()
    ) async throws -> StoreCopySummary {
        let mapper = PostgresErrorMapper(schema: configuration.schema)
        let target = try SessionTarget(url: url, configuration: configuration, mapper: mapper)
        let copying = StoreCopying(contents: contents.reader, mapper: mapper)
        return try await mapper.translating(.unknown) {
            let thread = try PollingThread()
            defer { thread.stop() }
            let session = try await Session.connect(target, on: thread)
            let other = try await Session.connect(target, on: thread)
            return StoreCopySummary(
                try await StoreOpening(target: target, schema: schema, mapper: mapper)
                    .copy(copying, on: session, other: other)
            )
        }
    }

    /// Copies the contents of another store into a new schema of a database, for these types of entity.
    ///
    /// See ``copy(_:to:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``copy(_:to:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public static func copy(
        _ contents: StoreContents,
        to url: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) async throws -> StoreCopySummary {
        try await copy(contents, to: url, schema: try EntitySchema(entities), configuration: configuration)
    }
}

/// A snapshot of a store: a read transaction that is open as long as this object lives.
final class PostgresSnapshot: EntityReader {
    private let reading: DocumentReading
    private let schema: EntitySchema
    private let mapper: PostgresErrorMapper

    /// - Parameters:
    ///   - session: A connection for this snapshot alone.
    ///   - schema: The types of entity of the store.
    ///   - numbers: The kinds and indexes of the store.
    ///   - mapper: Converts failures.
    /// - Throws: ``PostgresFailure``.
    init(on session: Session, schema: EntitySchema, numbers: PostgresSchemaIDs, mapper: PostgresErrorMapper)
        async throws
    {
        reading = DocumentReading(session: session, numbers: numbers)
        self.schema = schema
        self.mapper = mapper
        _ = try await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", isPrepared: false, isAlone: true)
        // The first query takes the snapshot, not BEGIN.
        _ = try await session.run("SELECT generation FROM store", isPrepared: false)
    }

    deinit {
        reading.session.close()
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.find(reference) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.find(all: references) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return try await mapper.translating { try await OutdatedIndexes(reading: reading, schema: schema).fetch(query) }
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return try await mapper.translating { try await OutdatedIndexes(reading: reading, schema: schema).count(query) }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return try await mapper.translating { try await reading.events(after: position, limit: limit) }
    }
}
#endif
