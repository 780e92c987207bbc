// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

extension UnitOfWork where Context == EntityContext {
    /// Creates a unit of work on `store` that makes a context each time it is executed, unless it joins another unit of
    /// work on `store`.
    public init(on store: any EntityStore, delegator: any DomainEventDelegator) {
        self.init(delegator: delegator, joinIdentity: ObjectIdentifier(store)) { EntityContext(store) }
    }
}

extension EntityContext {
    /// Returns the context of the unit of work that a unit of work on `store` would join, or a new context.
    package static func current(on store: any EntityStore) -> EntityContext {
        let running = ActiveUnitOfWork.current?.joinable(as: EntityContext.self, by: ObjectIdentifier(store))
        return running?.context ?? EntityContext(store)
    }
}
