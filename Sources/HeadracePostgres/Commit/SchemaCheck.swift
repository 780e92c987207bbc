//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import HeadraceStorage
import Synchronization

/// Checks that the database still has the kinds and indexes that the store was opened with.
///
/// Another program may open the store with other indexes, which removes the indexes of this program. The database counts
/// such changes as generations. If the generation is new, the check compares the kinds that this store uses.
final class SchemaCheck: Sendable {
    let numbers: PostgresSchemaIDs
    private let mapper: PostgresErrorMapper
    private let known: Mutex<Int64>

    init(_ numbers: PostgresSchemaIDs, generation: Int64, mapper: PostgresErrorMapper) {
        self.numbers = numbers
        self.mapper = mapper
        known = Mutex(generation)
    }

    /// The generation that was compared last.
    var generation: Int64 { known.withLock { $0 } }

    /// Requires that the kinds of the store are unchanged.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged`; ``PostgresFailure``.
    func requireCurrent(on session: Session) async throws {
        let rows = try await session.run("SELECT generation FROM store")
        guard let generation = try rows.first?.integer(0) else {
            throw PostgresFailure.refused(state: "XX001", message: "the table 'store' is empty")
        }
        if generation == self.generation { return }
        let stored = try await PostgresSchemaIDs.read(Array(numbers.kinds.keys), on: session)
        for (name, kind) in numbers.kinds.sorted(by: { $0.key < $1.key }) where stored.kinds[name] != kind {
            throw mapper.schemaChanged(name)
        }
        known.withLock { $0 = generation }
    }
}
#endif
