// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension EntityContext {
    /// Returns the number of entities of `type` that match all `conditions`, without reading them.
    ///
    /// ```swift
    /// let open = try await context.count(Ticket.self, where: [.equals(.status, Status.open)])
    /// ```
    ///
    /// The count includes the changes of this context: inserted entities count, deleted entities don't, and a changed entity
    /// counts if its present state matches. If another writer has changed an entity since this context read it, the count can
    /// be wrong by that entity.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - conditions: The conditions, which must all hold; without any, all entities match.
    /// - Returns: The number of entities.
    /// - Throws: The errors of ``fetch(_:where:orderedBy:limit:)``.
    /// - Complexity: O(*m* log *n*) for *m* entities that match the first condition among *n*, and O(*t*) for *t* entities
    ///   that the context tracks.
    public nonisolated(nonsending) func count<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = []
    ) async throws -> Int {
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        var count = try await store.count(
            DocumentQuery(
                kind: Entity.entityName,
                conditions: conditions.map { DocumentQuery.Condition(index: $0.index.name, test: $0.test) }
            )
        )
        if count == 0 { try noteAbsences(of: conditions, orderedBy: nil, in: []) }
        // After the read, because another task of the caller's actor may have inserted entities meanwhile.
        for tracked in known(kind) {
            if tracked.isStored, conditions.allSatisfy({ $0.accepts(tracked.storedEntries) }) { count -= 1 }
            if !tracked.isDeleted, FetchedEntity(tracked, conditions: conditions, order: nil) != nil { count += 1 }
        }
        return max(0, count)
    }
}

extension EntityCondition {
    /// Whether one of `entries` has a value that the condition accepts.
    fileprivate func accepts(_ entries: Set<ChangeSet.IndexEntry>) -> Bool {
        entries.contains { $0.index == index.name && test.accepts($0.value) }
    }
}
