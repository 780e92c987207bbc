// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension EntityContext {
    /// Locks the entity of `type` with the identifier `id`, and returns it, or `nil` if it doesn't exist or was deleted here.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     guard let product = try await context.find(Product.self, id: id, for: .update) else { return }
    ///     product.stock -= 1
    /// }
    /// ```
    ///
    /// Other units of work that lock the entity wait in order of arrival until this unit of work has ended, so none of them
    /// conflicts. All others read the entity meanwhile, and receive a conflict if they change it. The identifier is locked even if no
    /// entity has it. A nested unit of work that joins shares the lock.
    ///
    /// The lock is kept in this process. On a PostgreSQL store, other processes respect it. On a SQLite file, other processes and
    /// other store objects don't, so a conflict with them is possible.
    ///
    /// Lock an entity when you find it for the first time, because an entity that the context knows isn't read again. Lock several entities in the
    /// order of their keys, or with ``find(_:ids:for:)``. If two units of work wait for each other, one of them fails.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - id: The identifier.
    ///   - lock: The lock.
    /// - Returns: The entity.
    /// - Throws: The errors of ``find(_:id:)``. The code is `locked` if two units of work would wait for each other, or if another
    ///   process has held the lock for too long. Then a retry of the unit of work may succeed. The code is `readOnly` in a read-only
    ///   context.
    public nonisolated(nonsending) func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        id: Entity.ID,
        for lock: EntityLock
    ) async throws -> Entity? {
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        try await acquire(EntityReference(kind: kind.name, key: id.storageKey))
        return try await find(type, id: id)
    }

    /// Locks the entities of `type` with the identifiers `ids` in the order of their keys, and returns them as ``find(_:ids:)`` does.
    ///
    /// - Throws: The same errors as ``find(_:id:for:)``.
    public nonisolated(nonsending) func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        ids: some Sequence<Entity.ID>,
        for lock: EntityLock
    ) async throws -> [Entity] {
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        let ids = Array(ids)
        for key in Set(ids.map(\.storageKey)).sorted() {
            try await acquire(EntityReference(kind: kind.name, key: key))
        }
        return try await find(type, ids: ids)
    }

    private nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws {
        if isReadOnly { throw StoreError.lockedInReadOnlyContext(reference) }
        let locks = locks ?? ContextLocks(on: store, of: ObjectIdentifier(self))
        self.locks = locks
        try await locks.acquire(reference)
    }
}
