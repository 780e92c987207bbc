// SPDX-License-Identifier: Apache-2.0

/// A store that other processes can use at the same time, and that lets them wait for the locks of a unit of work.
package protocol LockingStore: EntityStore {
    /// Returns the locks of one unit of work, which holds none yet.
    func makeLocks() -> any StoreLocks
}

/// The locks of one unit of work in a store.
///
/// They are released with the object, at the latest.
package protocol StoreLocks: AnyObject, Sendable {
    /// Returns when no unit of work of another process has locked the entity of `reference`, and locks it.
    ///
    /// Locking an entity again changes nothing.
    ///
    /// - Throws: ``StoreError`` with the code `locked` if the wait takes too long or could never end, or another code if the store
    ///   can't be reached; `CancellationError`.
    nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws

    /// Releases all locks. Later calls have no effect.
    func release()
}

extension EntityStore {
    /// The store below all decorators, of which each entity is locked once.
    package var lockedStore: any EntityStore { (self as? any DeliveryStore)?.undecorated ?? self }
}
