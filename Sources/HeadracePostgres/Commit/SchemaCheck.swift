// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage
import Synchronization

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
