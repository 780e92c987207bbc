// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import HeadraceTesting

extension StoreContract {
    static let insertionChecks: [Check] = [
        Check("an insert after a read that found nothing is retryable if another writer was faster") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let looks: [(nonisolated(nonsending) (EntityContext) async throws -> Shop.Customer?)] = [
                { try await $0.find(Shop.Customer.self, id: "c0") },
                { try await $0.find(Shop.Customer.self, ids: ["c1"]).first },
                {
                    try await $0.fetch(Shop.Customer.self, where: [.equals(.email, "2@example.org")]).first
                },
            ]
            for (number, look) in looks.enumerated() {
                let byValue = number == 2
                let email = "\(number)@example.org"
                let unitOfWork = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
                var refusals: [StoreError] = []
                for attempt in 1...2 {
                    do {
                        try await unitOfWork.execute { context in
                            let found = try await look(context)
                            if attempt == 1 {
                                let other = EntityContext(store)
                                other.insert(Shop.Customer(id: byValue ? "other" : "c\(number)", email: email))
                                try await other.commit([])
                            }
                            let customer = found ?? Shop.Customer(id: "c\(number)", email: email)
                            context.insert(customer)
                            customer.orderCount += 1
                        }
                    } catch let error as StoreError {
                        refusals.append(error)
                    }
                }

                try requireEqual(
                    refusals.map(\.code), [byValue ? .uniqueViolation : .alreadyExists], "the list of refusals")
                try requireEqual(refusals.map(\.isRetryable), [true], "whether it is retryable")
                let stored = try await EntityContext(store).fetch(
                    Shop.Customer.self, where: [.equals(.email, email)])
                try requireEqual(stored.map(\.orderCount), [1], "the number of orders")
            }
        },
        Check("an insert without a read before it is not retryable if its key or value is taken") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let context = EntityContext(store)
            context.insert(Shop.Customer(id: "c1", email: "ada@example.org"))
            try await context.commit([])

            for (id, code) in [("c1", StoreError.Code.alreadyExists), ("c2", .uniqueViolation)] {
                var refusal: StoreError?
                do {
                    context.insert(Shop.Customer(id: id, email: "ada@example.org"))
                    try await context.commit([])
                } catch let error as StoreError {
                    refusal = error
                }
                context.rollback()
                try requireEqual(refusal?.code, code, "the refusal")
                try requireEqual(refusal?.isRetryable, false, "whether it is retryable")
            }
        },
    ]
}
