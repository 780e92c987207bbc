// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import HeadraceDomain
import HeadraceStorage

extension PostgresStore {
    /// Opens the store for these types of entity, and creates its schema and tables if they don't exist.
    ///
    /// See ``init(url:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(url:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public convenience init(
        url: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) async throws {
        try await self.init(url: url, schema: try EntitySchema(entities), configuration: configuration)
    }
}
#endif
