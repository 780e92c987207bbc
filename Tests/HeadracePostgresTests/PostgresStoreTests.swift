// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadracePostgres
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite(.needsServer) struct PostgresStoreTests {
    private static let capabilities = StoreContract.Capabilities(
        isPersistent: true, isShared: true, longestKey: 1_000)

    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: capabilities))
    func keepsTheContract(check: StoreContract.Check) async throws {
        try await withSchema { schema in
            try await check.run { entities in
                try await PostgresStore(url: schema.url, entities: entities, configuration: schema.configuration)
            }
        }
    }
}
#endif
