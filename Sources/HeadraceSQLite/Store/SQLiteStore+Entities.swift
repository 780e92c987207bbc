// SPDX-License-Identifier: Apache-2.0

#if SQLite
public import HeadraceDomain
import HeadraceStorage

extension SQLiteStore {
    /// Opens the store at `path` for these types of entity, and creates the file if it doesn't exist.
    ///
    /// See ``init(path:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(path:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public convenience init(
        path: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: path, schema: try EntitySchema(entities), configuration: configuration)
    }
}
#endif
