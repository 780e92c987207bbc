// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

extension InMemoryStore {
    /// Creates an empty store for these types of entity.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `invalidSchema`: see
    ///   ``HeadraceStorage/EntitySchema/init(_:)``.
    public convenience init(entities: [any StoredEntity.Type]) throws {
        self.init(schema: try EntitySchema(entities))
    }
}
