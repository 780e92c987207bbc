// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite struct StoreDecoratorTests {
    private final class Plain: StoreDecorator {
        let base: any DeliveryStore

        init(_ base: any DeliveryStore) {
            self.base = base
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .inMemory))
    func fulfilsTheContractOfItsBase(check: StoreContract.Check) async throws {
        try await check.run { entities in
            Plain(Plain(try InMemoryStore(entities: entities)))
        }
    }
}
