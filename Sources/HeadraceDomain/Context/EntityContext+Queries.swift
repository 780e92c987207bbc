//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStorage

extension EntityContext {
    /// Gives the entities of `type` for which all of `conditions` hold, those inserted and changed here included.
    ///
    /// ```swift
    /// let latest = try await context.fetch(
    ///     Order.self, where: [.equals(.customer, id)], orderedBy: .descending(.placedAt), limit: 10
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - conditions: What must hold; without any, all entities are given.
    ///   - order: The order; by their keys where it is `nil`.
    ///   - limit: How many are given at the most; all where it is `nil`.
    /// - Returns: The entities, each the same object that the context gave before.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    /// - Complexity: O(*m* log *n*) for *m* entities that match the first condition among *n*; with an order by an index of
    ///   one value for each entity, O(log *n*) for each entity that is looked at before the limit is reached; with one of
    ///   several values, O(*n* log *n*). And O(*t*) in the entities that the context knows.
    public nonisolated(nonsending) func fetch<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = [],
        orderedBy order: EntityOrder<Entity>? = nil,
        limit: Int? = nil
    ) async throws -> [Entity] {
        try await matches(type, where: conditions, orderedBy: order, after: nil, limit: limit).map(take)
    }

    /// Gives a page of the entities that ``fetch(_:where:orderedBy:limit:)`` would give.
    ///
    /// ```swift
    /// var cursor: PageCursor?
    /// repeat {
    ///     let page = try await context.page(Order.self, orderedBy: .ascending(.placedAt), after: cursor, limit: 100)
    ///     for order in page.entities { print(order.id) }
    ///     cursor = page.next
    /// } while cursor != nil
    /// ```
    ///
    /// An entity that is on one page is on no later one unless its value in the order was changed in between. To read a
    /// page costs the same whichever it is, where the index of the order holds one value for each entity.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - conditions: What must hold; without any, all entities are given.
    ///   - order: The order; by their keys where it is `nil`.
    ///   - cursor: The ``EntityPage/next`` of the page before; `nil` for the first one.
    ///   - limit: How many entities the page has at the most, from 1 on.
    /// - Returns: The page.
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `foreignCursor` where `cursor` is of another type or order;
    ///   `CancellationError`.
    public nonisolated(nonsending) func page<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = [],
        orderedBy order: EntityOrder<Entity>? = nil,
        after cursor: PageCursor? = nil,
        limit: Int
    ) async throws -> EntityPage<Entity> {
        let place = try cursor?.place(in: type, order: order)
        let count = min(max(1, limit), .max - 1)
        // One more tells whether there is another page.
        let matches = try await matches(type, where: conditions, orderedBy: order, after: place, limit: count + 1)
        let page = matches.prefix(count)
        let next = matches.count > count ? page.last.map { PageCursor(after: $0, order: order) } : nil
        return EntityPage(entities: page.map(take), next: next)
    }

    private nonisolated(nonsending) func matches<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>],
        orderedBy order: EntityOrder<Entity>?,
        after place: DocumentQuery.Place?,
        limit: Int?
    ) async throws -> ArraySlice<FetchedEntity<Entity>> {
        try requireDeclared(type)
        let documents = try await read(type, where: conditions, orderedBy: order, after: place, limit: limit)
        // After the read: another task of the caller's actor may have found or inserted entities meanwhile.
        let known = known(type)

        let isDescending = order?.isDescending ?? false
        var matches: [FetchedEntity<Entity>] = []
        for document in documents where tracked[document.reference] == nil {
            let tracked = TrackedEntity(try DocumentCoding.decode(document) as Entity, storedAs: document)
            if let match = FetchedEntity(tracked, conditions: [], order: order) { matches.append(match) }
        }
        for tracked in known where !tracked.isDeleted {
            guard let match = FetchedEntity(tracked, conditions: conditions, order: order) else { continue }
            let isBefore = place.map { isDescending ? match.place >= $0 : match.place <= $0 } ?? false
            if !isBefore { matches.append(match) }
        }
        matches.sort { isDescending ? $0.place > $1.place : $0.place < $1.place }
        return matches.prefix(limit.map { max(0, $0) } ?? matches.count)
    }

    /// Reads enough documents for `limit` matches, whatever the context knows of the entities when the read is done.
    private nonisolated(nonsending) func read<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>],
        orderedBy order: EntityOrder<Entity>?,
        after place: DocumentQuery.Place?,
        limit: Int?
    ) async throws -> [StoredDocument] {
        while true {
            // An entity that the context knows may no longer match. Read one more document for each of them.
            let spare = known(type).count
            let query = DocumentQuery(
                kind: Entity.entityName,
                conditions: conditions.map { DocumentQuery.Condition(index: $0.index.name, test: $0.test) },
                order: order.map { DocumentQuery.Order(index: $0.index.name, isDescending: $0.isDescending) },
                after: place,
                limit: limit.map { min(max(0, $0), .max - spare) + spare }
            )
            let documents = try await store.fetch(query)
            let isCutOff = query.limit.map { documents.count >= $0 } ?? false
            if isCutOff, known(type).count > spare { continue }
            if !isCutOff, place == nil { try noteAbsences(of: conditions, orderedBy: order, in: documents) }
            return documents
        }
    }

    /// Notes the unique values that were asked for, and that none of `documents`, which are all that match, has.
    private func noteAbsences<Entity: StoredEntity>(
        of conditions: [EntityCondition<Entity>],
        orderedBy order: EntityOrder<Entity>?,
        in documents: [StoredDocument]
    ) throws {
        // With another condition or order, an entity that has the value may be left out.
        guard conditions.count == 1, let index = conditions.first?.index, index.isUnique,
            case .oneOf(var missing) = conditions.first?.test, order.map({ $0.index.name == index.name }) ?? true
        else { return }
        // Of entities that match, no two have the same value.
        if documents.count >= missing.count { return }
        for document in documents {
            missing.subtract(index.values(try DocumentCoding.decode(document)))
        }
        absences.note(missing, in: index.name, of: Entity.entityName)
    }

    private func known<Entity: StoredEntity>(_ type: Entity.Type) -> [TrackedEntity] {
        tracked.values.filter { $0.reference.kind == Entity.entityName }
    }

    private func take<Entity: StoredEntity>(_ match: FetchedEntity<Entity>) -> Entity {
        if tracked[match.tracked.reference] == nil { track(match.tracked) }
        return match.entity
    }
}
