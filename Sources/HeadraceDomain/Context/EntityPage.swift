// SPDX-License-Identifier: Apache-2.0

/// A page of the entities that match a query, with a cursor for the next page.
public struct EntityPage<Entity: StoredEntity> {
    /// The entities, in the order of the query; an entity that the context has already returned is the same object.
    public let entities: [Entity]

    /// The cursor of the next page, or `nil` if this page is the last.
    public let next: PageCursor?
}
