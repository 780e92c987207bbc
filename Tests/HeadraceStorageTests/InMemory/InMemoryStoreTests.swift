// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite struct InMemoryStoreTests {
    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .inMemory))
    func fulfilsTheContract(check: StoreContract.Check) async throws {
        try await check.run { entities in
            try InMemoryStore(entities: entities)
        }
    }
}
