// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension EntityContext {
    /// Returns the entities of `type` that match all `conditions`, including entities inserted or changed in this
    /// context.
    ///
    /// ```swift
    /// let latest = try await context.fetch(
    ///     Order.self, where: [.equals(.customer, id)], orderedBy: .descending(.placedAt), limit: 10
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - conditions: The conditions, which must all hold; without any, all entities match.
    ///   - order: The order, or `nil` for the order of keys.
    ///   - limit: Maximum number of entities, or `nil` for all.
    /// - Returns: The entities. An entity that the context has already returned is the same object.
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `unknownIndex` if the type doesn't declare an index of a condition or
    ///   of the order; `CancellationError`.
    /// - Complexity: O(*m* log *n*) for *m* entities that match the first condition among *n*; with an order by an
    ///   index of one value for each entity, O(log *n*) for each entity that is read before the limit is reached; with
    ///   an index of several values, O(*n* log *n*). In addition, O(*t*) for *t* entities that the context tracks.
    public nonisolated(nonsending) func fetch<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = [],
        orderedBy order: EntityOrder<Entity>? = nil,
        limit: Int? = nil
    ) async throws -> [Entity] {
        try await matches(type, where: conditions, orderedBy: order, after: nil, limit: limit).map(take)
    }

    /// Returns a page of the entities that ``fetch(_:where:orderedBy:limit:)`` would return.
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
    /// An entity that is on one page is on no later page unless its value in the order was changed in between. If the
    /// index of the order holds one value for each entity, each page costs the same.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - conditions: The conditions, which must all hold; without any, all entities match.
    ///   - order: The order, or `nil` for the order of keys.
    ///   - cursor: The ``EntityPage/next`` of the previous page; `nil` for the first page.
    ///   - limit: Maximum number of entities on the page, at least 1.
    /// - Returns: The page.
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `foreignCursor` if `cursor` belongs to another type or
    ///   order; `CancellationError`.
    public nonisolated(nonsending) func page<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = [],
        orderedBy order: EntityOrder<Entity>? = nil,
        after cursor: PageCursor? = nil,
        limit: Int
    ) async throws -> EntityPage<Entity> {
        let place = try cursor?.place(in: type, order: order)
        let count = min(max(1, limit), .max - 1)
        // One entity more than the limit shows whether there is another page.
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
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        let documents = try await read(type, where: conditions, orderedBy: order, after: place, limit: limit)
        // After the read, because another task of the caller's actor may have found or inserted entities meanwhile.
        let known = known(kind)

        let isDescending = order?.isDescending ?? false
        var matches: [FetchedEntity<Entity>] = []
        for document in documents where tracked[document.reference] == nil {
            let tracked = try decode(document, kind: kind, as: type).tracked
            // The stream of an entity can be newer than the result of the query.
            let unsure = kind.eventSourced == nil ? [] : conditions
            if let match = FetchedEntity(tracked, conditions: unsure, order: order) { matches.append(match) }
        }
        for tracked in known where !tracked.isDeleted {
            guard let match = FetchedEntity(tracked, conditions: conditions, order: order) else { continue }
            let isBefore = place.map { isDescending ? match.place >= $0 : match.place <= $0 } ?? false
            if !isBefore { matches.append(match) }
        }
        matches.sort { isDescending ? $0.place > $1.place : $0.place < $1.place }
        return matches.prefix(limit.map { max(0, $0) } ?? matches.count)
    }

    /// Reads enough documents for `limit` matches, even if the context comes to know more entities during the read.
    private nonisolated(nonsending) func read<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>],
        orderedBy order: EntityOrder<Entity>?,
        after place: DocumentQuery.Place?,
        limit: Int?
    ) async throws -> [StoredDocument] {
        let kind = EntityKind.of(type)
        var rounds = 0
        while true {
            rounds += 1
            // An entity that the context knows may no longer match. Read one more document for each of them.
            let spare = known(kind).count
            let query = DocumentQuery(
                kind: Entity.entityName,
                conditions: conditions.map { DocumentQuery.Condition(index: $0.index.name, test: $0.test) },
                order: order.map { DocumentQuery.Order(index: $0.index.name, isDescending: $0.isDescending) },
                after: place,
                limit: limit.map { min(max(0, $0), .max - spare) + spare }
            )
            let read = try await source.fetch(query)
            var documents = read
            if let eventSourced = kind.eventSourced {
                documents = try await readStreams(of: read, as: eventSourced)
            }
            let isCutOff = query.limit.map { read.count >= $0 } ?? false
            // An entity that another writer has deleted or replaced since the query may have kept out a later one. Replaced
            // entities are read again a few times only, because a busy writer may replace one during each read.
            let isStale = documents.count < read.count || (documents != read && rounds < 10)
            if isCutOff, known(kind).count > spare || isStale { continue }
            if !isCutOff, place == nil { try noteAbsences(of: conditions, orderedBy: order, in: documents) }
            return documents
        }
    }

    /// Notes the requested unique values that none of `documents` has; `documents` are all matching documents.
    func noteAbsences<Entity: StoredEntity>(
        of conditions: [EntityCondition<Entity>],
        orderedBy order: EntityOrder<Entity>?,
        in documents: [StoredDocument]
    ) throws {
        // With another condition or order, an entity that has the value may be left out.
        guard conditions.count == 1, let index = conditions.first?.index, index.isUnique,
            case .oneOf(var missing) = conditions.first?.test, order.map({ $0.index.name == index.name }) ?? true
        else { return }
        // No two matching entities have the same value.
        if documents.count >= missing.count { return }
        for document in documents {
            // The state of an event-sourced entity is unknown if the context knew the entity before.
            let isSourced = EntityKind.of(Entity.self).eventSourced != nil
            if let state = isSourced ? streams?[document]?.state : document {
                missing.subtract(index.values(try DocumentCoding.decode(state)))
            } else if let known = tracked[document.reference]?.entity as? Entity {
                missing.subtract(index.values(known))
            }
        }
        absences = absences ?? Absences()
        absences?.note(missing, in: index.name, of: Entity.entityName)
    }

    func known(_ kind: EntityKind) -> [TrackedEntity] {
        tracked.all.filter { !$0.isReplaced && ($0.kind === kind || $0.reference.kind == kind.name) }
    }

    private func take<Entity: StoredEntity>(_ match: FetchedEntity<Entity>) -> Entity {
        if tracked[match.tracked.reference] == nil { track(match.tracked) }
        return match.entity
    }
}

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
        var count = try await source.count(
            DocumentQuery(
                kind: Entity.entityName,
                conditions: conditions.map { DocumentQuery.Condition(index: $0.index.name, test: $0.test) }
            )
        )
        if count == 0 { try noteAbsences(of: conditions, orderedBy: nil, in: []) }
        // After the read, because another task of the caller's actor may have inserted entities meanwhile.
        for tracked in known(kind) {
            if tracked.isStored {
                let entries = conditions.isEmpty ? [] : try tracked.storedEntries()
                if conditions.allSatisfy({ $0.accepts(entries) }) { count -= 1 }
            }
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

/// A page of the entities that match a query, with a cursor for the next page.
public struct EntityPage<Entity: StoredEntity> {
    /// The entities, in the order of the query; an entity that the context has already returned is the same object.
    public let entities: [Entity]

    /// The cursor of the next page, or `nil` if this page is the last.
    public let next: PageCursor?
}

/// The position at which a page of entities ends and the next page begins.
///
/// The cursor is text that a client may keep and send back. It contains the key of the page's last entity and its value
/// in the order, so don't show it to a user who may not see these. It stays valid when entities are inserted, changed,
/// or deleted.
public struct PageCursor: Hashable, Sendable {
    private struct Content: Hashable, Codable {
        var kind: String
        var index: String?
        var isDescending: Bool
        var number: Int64?
        var text: String?
        var key: String
    }

    private let content: Content

    init<Entity: StoredEntity>(after entity: FetchedEntity<Entity>, order: EntityOrder<Entity>?) {
        content = Content(
            kind: Entity.entityName,
            index: order?.index.name,
            isDescending: order?.isDescending ?? false,
            number: entity.place.value?.number,
            text: entity.place.value?.text,
            key: entity.place.key
        )
    }

    /// Returns the place in a query of `type` with this order.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `foreignCursor` if the cursor belongs to another query.
    func place<Entity: StoredEntity>(
        in type: Entity.Type,
        order: EntityOrder<Entity>?
    ) throws -> DocumentQuery.Place {
        let value = content.number.map { IndexValue.integer($0) } ?? content.text.map { .text($0) }
        guard content.kind == Entity.entityName, content.index == order?.index.name,
            content.isDescending == order?.isDescending ?? false, (value == nil) == (order == nil)
        else { throw StoreError.foreignCursor(self, of: Entity.entityName) }
        return DocumentQuery.Place(value: value, key: content.key)
    }
}

extension PageCursor: LosslessStringConvertible, Codable {
    /// Parses the text of ``description``, or returns `nil` if the text is not a cursor.
    public init?(_ description: String) {
        let base64 = description.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let json = Data(base64Encoded: base64 + padding),
            let content = try? DocumentCoding.decode(Content.self, from: json)
        else { return nil }
        self.content = content
    }

    /// The cursor as text of letters, digits, `-`, and `_` (base64url of RFC 4648).
    public var description: String {
        // Text and numbers can always be encoded.
        let json = (try? DocumentCoding.encode(content)) ?? Data()
        return json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a page cursor.")
        }
        self = cursor
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension IndexValue {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
