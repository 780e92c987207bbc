// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// Commits batches of units of work, each with one call, and learns the outcome if an answer is lost.
final class BatchCommitter: Sendable {
    /// The time after which the outcome of a call isn't looked for, because its row may be removed: the server removes
    /// the rows of an hour.
    private static let longestCall = Duration.seconds(1_800)

    /// How often a batch waits for documents that older programs add to unique indexes meanwhile.
    private static let largestCompletionCount = 5

    private enum Fate {
        case stored(refusals: String)
        case notStored
        case unknown(String)
    }

    private let target: SessionTarget
    private let slot: SessionSlot
    private let check: SchemaCheck
    private let schema: EntitySchema
    private let writer: UUID
    private let mapper: PostgresErrorMapper
    private let outcomeTimeout: Duration
    private let faults: (@Sendable (FaultPoint) -> Void)?
    private let count = Mutex(0)

    /// - Parameters:
    ///   - target: The rules of connections.
    ///   - slot: The connection for commits.
    ///   - check: The kinds and indexes of the store.
    ///   - schema: The types of entity of the store.
    ///   - writer: The identifier of the store object.
    ///   - mapper: Converts failures.
    ///   - outcomeTimeout: Time to learn the outcome of a call whose answer is lost.
    ///   - faults: Called before and after each call.
    init(
        target: SessionTarget,
        slot: SessionSlot,
        check: SchemaCheck,
        schema: EntitySchema,
        writer: UUID,
        mapper: PostgresErrorMapper,
        outcomeTimeout: Duration,
        faults: (@Sendable (FaultPoint) -> Void)?
    ) {
        self.target = target
        self.slot = slot
        self.check = check
        self.schema = schema
        self.writer = writer
        self.mapper = mapper
        self.outcomeTimeout = outcomeTimeout
        self.faults = faults
    }

    /// Commits `units`, which must have no subject in common, and returns their outcomes in their order.
    ///
    /// If the server refuses the batch because of one of its units, the batch is divided. Then `early` receives the outcomes of
    /// each part as soon as they are known, with the index of the unit.
    func run(
        _ units: [CommitUnit],
        early: @escaping @Sendable (Int, Result<Void, any Error>) -> Void
    ) async -> [Result<Void, any Error>] {
        await run(units, until: .now.advanced(by: outcomeTimeout), early: early)
    }

    private func run(
        _ units: [CommitUnit],
        until deadline: ContinuousClock.Instant,
        early: @escaping @Sendable (Int, Result<Void, any Error>) -> Void
    ) async -> [Result<Void, any Error>] {
        do {
            let arguments = try CommitArguments(units, numbers: check.numbers)
            switch try await attempt(units, arguments, until: deadline) {
            case .committed(let outcomes):
                return outcomes
            case .lostTwice:
                let half = units.count / 2
                return await runParts(
                    [Array(0..<half), Array(half..<units.count)], of: units, until: deadline, early: early)
            case .refused(let failure):
                if units.count == 1, let unit = units.first { return [.failure(error(failure, of: unit))] }
                // A retry of each unit would fail as well, and wait as long for the lock each time.
                if isShared(failure, by: units) { throw failure }
                // Plain SQL is refused more often than the changes of the store, so units without it go first and together.
                let plain = units.indices.filter { units[$0].work.isEmpty }
                let together = plain.count < units.count ? plain : []
                let alone = units.indices.filter { !together.contains($0) }.map { [$0] }
                return await runParts([together] + alone, of: units, until: deadline, early: early)
            }
        } catch let failure as PostgresFailure {
            return units.map { _ in .failure(mapper.storeError(failure)) }
        } catch {
            return units.map { _ in .failure(error) }
        }
    }

    /// Commits `parts` of `units` one after the other, each a list of indices.
    private func runParts(
        _ parts: [[Int]],
        of units: [CommitUnit],
        until deadline: ContinuousClock.Instant,
        early: @escaping @Sendable (Int, Result<Void, any Error>) -> Void
    ) async -> [Result<Void, any Error>] {
        var outcomes: [Int: Result<Void, any Error>] = [:]
        for part in parts where !part.isEmpty {
            let results = await run(part.map { units[$0] }, until: deadline) { early(part[$0], $1) }
            for (index, outcome) in zip(part, results) {
                outcomes[index] = outcome
                early(index, outcome)
            }
        }
        return units.indices.map { outcomes[$0] ?? .success(()) }
    }

    /// Whether `failure` concerns all of `units`: the server can't write, or another session holds the store's lock.
    ///
    /// Plain SQL can wait for a lock of its own.
    private func isShared(_ failure: PostgresFailure, by units: [CommitUnit]) -> Bool {
        guard failure.isOfServer, case .refused(_, _, let context) = failure else { return false }
        return units.allSatisfy(\.work.isEmpty) || context.contains(CommitProcedure.lock)
    }

    private enum Attempt {
        case committed([Result<Void, any Error>])
        case refused(PostgresFailure)

        /// The connection has ended twice, perhaps because of the size of the batch. Nothing is stored.
        case lostTwice
    }

    private func attempt(
        _ units: [CommitUnit],
        _ arguments: CommitArguments,
        until deadline: ContinuousClock.Instant
    ) async throws -> Attempt {
        var lossCount = 0
        var needsAll = Self.largestCompletionCount
        while true {
            let batch = UUID()
            let start = ContinuousClock.now
            let failure: PostgresFailure
            do {
                return .committed(
                    try arguments.outcomes(try await call(batch, units, arguments, needsAll: needsAll > 0)))
            } catch let error as PostgresFailure {
                failure = error
            }
            switch failure {
            case .closed, .unreachable:
                throw failure
            case .refused(CommitProcedure.schemaChanged, _, _):
                try await check.requireCurrent(on: try await slot.session())
                continue
            case .refused(CommitProcedure.outdated, _, _):
                needsAll -= 1
                // The value of a document that can't be decoded isn't known, and the units are independent of it.
                do { try await complete(units) } catch is StoreError { needsAll = 0 }
                continue
            case .lost, .refused:
                break
            }
            if ContinuousClock.now > start.advanced(by: Self.longestCall) {
                return .committed(
                    units.map { _ in .failure(mapper.outcomeUnknown("the process was stopped", cause: failure)) })
            }
            switch await fate(of: batch, failure, until: deadline) {
            case .stored(let refusals):
                return .committed(try arguments.outcomes(refusals))
            case .unknown(let what):
                return .committed(units.map { _ in .failure(mapper.outcomeUnknown(what, cause: failure)) })
            case .notStored:
                if ContinuousClock.now >= deadline { throw PostgresFailure.unreachable("\(failure)") }
                if !failure.isOfConnection { return .refused(failure) }
                lossCount += 1
                if lossCount == 2, units.count > 1 { return .lostTwice }
            }
        }
    }

    private func error(_ failure: PostgresFailure, of unit: CommitUnit) -> any Error {
        if case .refused(CommitProcedure.leaseLost, _, _) = failure, let lease = unit.changes.settlements.last?.lease {
            return StoreError.leaseLost(lease)
        }
        if !unit.work.isEmpty, let error = PostgresStatementError(failure) { return error }
        return mapper.storeError(failure)
    }

    /// Completes the unique indexes that `units` add values to, so that each stored value is found.
    private func complete(_ units: [CommitUnit]) async throws {
        let reading = DocumentReading(session: try await slot.session(), numbers: check.numbers)
        for kind in schema.kinds {
            let writes = units.flatMap(\.changes.writes).filter { $0.document.reference.kind == kind.name }
            let names = Set(writes.flatMap(\.addedEntries).map(\.index))
            let unique = names.filter { schema.isUnique($0, of: kind.name) }
            if !unique.isEmpty {
                try await OutdatedIndexes(reading: reading, schema: schema).complete(unique, of: kind)
            }
        }
    }

    private func call(
        _ batch: UUID,
        _ units: [CommitUnit],
        _ arguments: CommitArguments,
        needsAll: Bool
    ) async throws -> String {
        let session = try await slot.session()
        // The rows of old outcomes are removed with each 256th batch.
        let prunes = count.withLock { count in
            count += 1
            return count % 256 == 0
        }
        let isDurable = units.contains { $0.changes.durability == .durable }
        // The procedure requires this generation, in which these are the indexes of other programs.
        let state = check.state
        let values: [PostgresValue] = [
            .id(batch), .id(writer), .integer(state.generation), .flag(isDurable), .flag(prunes),
        ]
        let call = CommitProcedure.call(in: target.quotedSchema)
        faults?(.commitQueued)
        faults?(.beforeTransaction)
        let rows = try await session.run(
            call, values + target.callSettings + [.flag(needsAll)] + arguments.values(undeclared: state.undeclared),
            isAlone: true)
        faults?(.afterCommit)
        guard let row = rows.first else {
            throw PostgresFailure.lost("the procedure has returned no row")
        }
        return try row.text(0)
    }

    /// Learns what became of `batch`.
    ///
    /// It tries to store the batch's outcome row itself, without an outcome. If that succeeds, the batch isn't stored and
    /// can't be stored later, because its own row would be the second. The insertion waits for a call that is still
    /// running.
    private func fate(
        of batch: UUID,
        _ failure: PostgresFailure,
        until deadline: ContinuousClock.Instant
    ) async -> Fate {
        while true {
            do {
                let session = try await slot.session()
                let inserted = try await session.run(
                    "INSERT INTO outcome (batch, writer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1",
                    [.id(batch), .id(writer)]
                )
                if inserted.count == 1 { return .notStored }
                // The callers of a stored batch are notified when it is on the disk.
                let stored = try await session.run(
                    """
                    SELECT refusals, pg_logical_emit_message(true, 'headrace', '') IS NULL FROM outcome WHERE batch = $1
                    """,
                    [.id(batch)]
                )
                guard let row = stored.first, let refusals = row.optionalText(0) else { return .notStored }
                return .stored(refusals: refusals)
            } catch PostgresFailure.closed {
                return .unknown("the store was closed")
            } catch {
                if ContinuousClock.now >= deadline { return .unknown("\(failure)") }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
#endif
