// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage

/// The entities that a unit of work has locked, in this process and in the store.
final class ContextLocks {
    private struct Key: Hashable, Sendable {
        let store: ObjectIdentifier
        let reference: EntityReference
    }

    /// The locks of all contexts of this process.
    private static let all = OwnedLock<Key>()

    /// The store below all decorators.
    ///
    /// The reference keeps its identity unique.
    private let store: any EntityStore

    /// The identity of the context.
    private let owner: ObjectIdentifier

    /// The locks that other processes respect; `nil` if the store has none.
    private let shared: (any StoreLocks)?

    /// The keys in the order in which they were acquired, which is the order of their release.
    private var keys: [Key] = []
    private var held: Set<Key> = []
    private var locked: Set<EntityReference> = []
    private var isReleased = false

    init(on store: any EntityStore, of owner: ObjectIdentifier) {
        self.store = store.lockedStore
        self.owner = owner
        shared = (self.store as? any LockingStore)?.makeLocks()
    }

    deinit {
        release()
    }

    /// Returns when the unit of work has locked the entity of `reference`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `locked`, or `rolledBack` if the unit of work ends meanwhile; the other
    ///   errors of the store; `CancellationError`.
    nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws {
        if locked.contains(reference) { return }
        let key = Key(store: ObjectIdentifier(store), reference: reference)
        do {
            try await Self.all.acquire(key, for: owner, within: ActiveUnitOfWork.enclosing.filter { $0 != owner })
        } catch is OwnedLock<Key>.Deadlock {
            throw StoreError.deadlock(reference)
        }
        do {
            try requireUse(of: reference)
            if held.insert(key).inserted { keys.append(key) }
            // Another task of the caller's actor may wait for the same lock at the same time.
            try await shared?.acquire(reference)
            try requireUse(of: reference)
            locked.insert(reference)
        } catch {
            held.remove(key)
            keys.removeAll { $0 == key }
            Self.all.release([key], of: owner)
            throw error
        }
    }

    private func requireUse(of reference: EntityReference) throws {
        if isReleased { throw StoreError.rolledBackDuringRead(reference) }
    }

    /// Releases all locks.
    ///
    /// Later calls have no effect.
    func release() {
        if isReleased { return }
        isReleased = true
        shared?.release()
        Self.all.release(keys, of: owner)
    }
}

/// The lock that a unit of work requests when it finds an entity.
public struct EntityLock: Hashable, Sendable {
    private enum Kind { case update }

    private let kind: Kind

    /// The unit of work is going to change the entity: other units of work that lock it wait.
    public static let update = EntityLock(kind: .update)
}

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
