// SPDX-License-Identifier: Apache-2.0

#if Postgres
extension SessionTarget {
    /// Creates the target of the connections of a store.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the name of the schema isn't valid.
    init(url: String, configuration: PostgresStore.Configuration, mapper: PostgresErrorMapper) throws {
        let length = configuration.schema.utf8.count
        if length == 0 || length > 63 || configuration.schema.utf8.contains(0) {
            throw mapper.unusable("its name isn't the name of a schema", remedy: "use a name of 1 to 63 bytes")
        }
        self.init(
            url: url,
            schema: configuration.schema,
            connectTimeout: Int(max(1, (configuration.connectTimeout / .seconds(1)).rounded(.up))),
            timeout: configuration.answerTimeout,
            lockTimeout: configuration.lockTimeout,
            isPooled: configuration.isPooled
        )
    }
}
#endif
