// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// The units of a batch as arguments of the procedure, and the meaning of its refusals.
struct CommitArguments {
    private let units: [CommitUnit]
    private let numbers: PostgresSchemaIDs
    private var tables = ArgumentTables(CommitProcedure.columns)
    private var rounds: [Int64: Int64] = [:]

    // What the items of refusals are, in the order of the arguments.
    private var keys: [String] = []
    private var requirements: [StoredDocument] = []
    private var deletions: [ChangeSet.Deletion] = []
    private var writes: [ChangeSet.Write] = []
    private var added: [(EntityReference, ChangeSet.IndexEntry)] = []
    private var leases: [Lease] = []

    init(_ units: [CommitUnit], numbers: PostgresSchemaIDs) throws {
        self.units = units
        self.numbers = numbers
        for (number, unit) in units.enumerated() {
            try append(unit.changes, unit: .integer(Int64(number)))
            append(unit.work, unit: .integer(Int64(number)))
            tables.append(unit.changes.settlements, unit: Int64(number), rounds: &rounds)
            leases += unit.changes.settlements.map(\.lease)
        }
    }

    /// The arguments, with the indexes that other programs have added.
    func values(undeclared: [PostgresSchemaIDs.Undeclared]) -> [PostgresValue] {
        var tables = tables
        for index in undeclared { tables.append("u", .integer(index.kind), .integer(index.index)) }
        return tables.values
    }

    private mutating func append(_ changes: ChangeSet, unit: ArgumentTables.Cell) throws {
        for record in changes.idempotencyRecords {
            keys.append(record.key)
            tables.append(
                "k", unit, .text(record.key), .bytes(Array(record.command)), .bytes(Array(record.outcome)),
                .integer(record.date.milliseconds))
        }
        for document in changes.requirements {
            requirements.append(document)
            // A kind that the store doesn't know has no documents.
            append("r", document, kind: numbers.kind(document.reference.kind) ?? 0, unit: unit)
        }
        for deletion in changes.deletions {
            deletions.append(deletion)
            tables.append(
                "x", unit, .integer(numbers.kind(deletion.reference.kind)), .text(deletion.reference.key),
                .integer(Int64(deletion.expectedVersion)))
            append("o", deletion.removedEntries, of: deletion.reference, unit: unit)
        }
        for write in changes.writes {
            writes.append(write)
            append("w", write.document, kind: numbers.kind(write.document.reference.kind), unit: unit)
            append("o", write.removedEntries, of: write.document.reference, unit: unit)
            append("i", write.addedEntries, of: write.document.reference, unit: unit)
        }
        let firstEvent = tables.count("e") + 1
        for event in changes.events {
            tables.append(
                "e", unit, .id(event.id), .text(event.name), .integer(Int64(event.version)), .text(event.stream?.kind),
                .text(event.stream?.key), .integer(event.recordedAt.milliseconds), .bytes(Array(event.json)),
                .text(try text(of: event.origin)))
        }
        for delivery in changes.deliveries {
            let stream = changes.events[delivery.event].stream
            tables.append(
                "d", .integer(Int64(firstEvent + delivery.event)), .text(delivery.subscription), .text(stream?.kind),
                .text(stream?.key))
        }
        for message in changes.scheduled {
            tables.append(
                "m", unit, .id(message.id), .text(message.kind.rawValue), .text(message.name),
                .integer(Int64(message.version)), .text(message.stream?.kind), .text(message.stream?.key),
                .integer(message.dueAt.milliseconds), .integer(message.since?.milliseconds),
                .bytes(Array(message.json)),
                .text(try text(of: message.origin)))
        }
        for id in changes.cancellations { tables.append("c", unit, .id(id)) }
    }

    private mutating func append(_ work: [StatementWork], unit: ArgumentTables.Cell) {
        for statement in work {
            tables.append("q", unit, .text(statement.sql))
            let number = ArgumentTables.Cell.integer(Int64(tables.count("q")))
            for argument in statement.arguments {
                tables.append("g", number, .text(argument.type), .text(argument.text))
            }
        }
    }

    private mutating func append(
        _ table: Character,
        _ document: StoredDocument,
        kind: Int64?,
        unit: ArgumentTables.Cell
    ) {
        tables.append(
            table, unit, .integer(kind), .text(document.reference.key), .integer(Int64(document.version)),
            .integer(Int64(document.schemaVersion)), .bytes(Array(document.json)))
    }

    private mutating func append(
        _ table: Character,
        _ entries: Set<ChangeSet.IndexEntry>,
        of reference: EntityReference,
        unit: ArgumentTables.Cell
    ) {
        for entry in entries {
            guard let index = numbers.index(entry.index, of: reference.kind) else { continue }
            let cells: [ArgumentTables.Cell] = [
                unit, .integer(index.id), .bytes(entry.value.sortKey), .text(reference.key),
            ]
            if table == "i" {
                added.append((reference, entry))
                tables.append(table, all: cells + [.integer(index.isUnique ? 1 : 0)])
            } else {
                tables.append(table, all: cells)
            }
        }
    }

    private func text(of origin: MessageOrigin) throws -> String? {
        origin == .unknown ? nil : try origin.storedText
    }

    // MARK: Results

    /// Returns the outcome of each unit, from the refusals that the procedure has returned.
    func outcomes(_ refusals: String) throws -> [Result<Void, any Error>] {
        var outcomes = units.map { _ in Result<Void, any Error>.success(()) }
        for refusal in try CommitRefusal.list(refusals) {
            outcomes[refusal.unit] = .failure(error(refusal))
        }
        return outcomes
    }

    private func error(_ refusal: CommitRefusal) -> StoreError {
        let item = refusal.item - 1
        switch refusal.cause {
        case .keyTaken:
            return .keyTaken(keys[item])
        case .requirement:
            let required = requirements[item]
            let stored = refusal.stored.map {
                StoredDocument(reference: required.reference, version: $0, schemaVersion: 0, json: Data())
            }
            return .versionConflict(required: required, stored: stored)
        case .deletion:
            let deletion = deletions[item]
            return .versionConflict(deletion.reference, expected: deletion.expectedVersion, stored: refusal.stored)
        case .write:
            let write = writes[item]
            let reference = write.document.reference
            if write.expectedVersion == 0 { return .alreadyExists(reference) }
            return .versionConflict(reference, expected: write.expectedVersion, stored: refusal.stored)
        case .unique:
            let (reference, entry) = added[item]
            return .uniqueViolation(reference, entry: entry, takenBy: refusal.other)
        case .leaseLost:
            return .leaseLost(leases[item])
        }
    }
}

/// Checks that the database still has the kinds and indexes that the store was opened with.
///
/// Another program may open the store with a later schema version, or with other properties of an index, which removes
/// indexes of this program. An index that another program adds leaves the store usable: its commits note the documents
/// that they write in the table `unindexed`. The database counts all these changes as generations. If the generation is
/// new, the check compares the kinds that this store uses.
final class SchemaCheck: Sendable {
    /// The state of the database when it was compared last.
    struct State: Sendable {
        var generation: Int64

        /// The indexes that other programs have added in this generation.
        var undeclared: [PostgresSchemaIDs.Undeclared]

        /// How often index entries were completed.
        var completions: Int64 = 0
    }

    let numbers: PostgresSchemaIDs
    private let mapper: PostgresErrorMapper
    private let known: Mutex<State>

    init(_ numbers: PostgresSchemaIDs, state: State, mapper: PostgresErrorMapper) {
        self.numbers = numbers
        self.mapper = mapper
        known = Mutex(state)
    }

    /// The generation that was compared last, and the indexes of other programs in it.
    var state: State { known.withLock { $0 } }

    /// Requires that the kinds of the store are unchanged.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged`; ``PostgresFailure``.
    func requireCurrent(on session: Session) async throws {
        _ = try await isComplete([], since: state.completions, on: session)
    }

    /// Requires that the kinds of the store are unchanged, and returns whether indexes have all documents.
    ///
    /// - Parameters:
    ///   - indexes: The numbers of the indexes.
    ///   - completions: The value in ``state`` before the indexes were read.
    ///   - session: The connection.
    /// - Returns: Whether no document was missing when the indexes were read; `nil` if another task or process has
    ///   completed indexes meanwhile, so that this is unknown.
    /// - Throws: The errors of ``requireCurrent(on:)``.
    func isComplete(_ indexes: [Int64], since completions: Int64, on session: Session) async throws -> Bool? {
        let rows = try await session.run(
            """
            SELECT generation, number, EXISTS (SELECT 1 FROM unindexed WHERE index_id = ANY ($1)) FROM store, completion
            """,
            [.integers(indexes)]
        )
        guard let row = rows.first else {
            throw PostgresFailure.refused(state: "XX001", message: "the table 'store' is empty")
        }
        let (generation, number) = (try row.integer(0), try row.integer(1))
        if generation != state.generation { try await compare(generation, on: session) }
        known.withLock { $0.completions = max($0.completions, number) }
        if try row.flag(2) { return false }
        return indexes.isEmpty || number == completions ? true : nil
    }

    private func compare(_ generation: Int64, on session: Session) async throws {
        let comparison = numbers.compare(
            with: try await PostgresSchemaIDs.read(Array(numbers.kinds.keys), on: session))
        if let name = comparison.changed { throw mapper.schemaChanged(name) }
        known.withLock { state in
            state.generation = generation
            state.undeclared = comparison.others
        }
    }
}
#endif
