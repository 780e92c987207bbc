//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
