// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import HeadraceDomain
public import HeadraceStorage

extension PostgresStore {
    /// Copies the contents of another store into a new schema of a database.
    ///
    /// The copy has the same entities with their versions, events with their positions, deliveries, dead letters, scheduled
    /// messages, and idempotency keys. Later events, lanes, and dead letters continue the numbers of the original, so
    /// programs that have stored a position can go on from it. The copy builds the indexes of `schema`, and compares
    /// each row with the original.
    ///
    /// All of it is one transaction: if the copy fails, is cancelled, or is killed, the database is unchanged.
    ///
    /// - Parameters:
    ///   - contents: The contents of the other store.
    ///   - url: The connection URL or connection string, as for ``init(url:schema:configuration:)``.
    ///   - schema: The types of entity. Entities of other types are copied, too.
    ///   - configuration: The settings, with the name of the schema.
    /// - Returns: Numbers of the copied rows.
    /// - Throws: The errors of ``init(url:schema:configuration:)``; ``HeadraceStorage/StoreError`` with the code `unusable` if
    ///   the schema has tables; `tooLong` if a key or an indexed text has more than 1,000 bytes; `locked` if a program
    ///   has changed the original meanwhile; `outcomeUnknown` if the connection ends during the copy;
    ///   `CancellationError`.
    public static func copy(
        _ contents: StoreContents,
        to url: String,
        schema: EntitySchema,
        configuration: Configuration = Configuration()
    ) async throws -> StoreCopySummary {
        let mapper = PostgresErrorMapper(schema: configuration.schema)
        let target = try SessionTarget(url: url, configuration: configuration, mapper: mapper)
        let copying = StoreCopying(contents: contents.reader, mapper: mapper)
        return try await mapper.translating(.unknown) {
            let thread = try PollingThread()
            defer { thread.stop() }
            let session = try await Session.connect(target, on: thread)
            let other = try await Session.connect(target, on: thread)
            return StoreCopySummary(
                try await StoreOpening(target: target, schema: schema, mapper: mapper)
                    .copy(copying, on: session, other: other)
            )
        }
    }

    /// Copies the contents of another store into a new schema of a database, for these types of entity.
    ///
    /// See ``copy(_:to:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``copy(_:to:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public static func copy(
        _ contents: StoreContents,
        to url: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) async throws -> StoreCopySummary {
        try await copy(contents, to: url, schema: try EntitySchema(entities), configuration: configuration)
    }
}
#endif
