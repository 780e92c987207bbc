// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceStorage

extension StoreContract {
    static let nestingChecks: [Check] = NestedChange.allCases.map { nesting in
        Check("a failing nested unit of work stores nothing, even if its error is caught: \(nesting.rawValue)") {
            fixture in
            let store = try await fixture.openStore(Shop.entities)
            let registrar = Shop.registrar(telling: Shop.Notifications())
            let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
            try await unitOfWork.execute { context in
                context.insert(Shop.Customer(id: "c1", email: "ada@example.org"))
                context.insert(Shop.Customer(id: "c2", email: "bea@example.org"))
            }
            let before = try await store.fetch(DocumentQuery(kind: Shop.Customer.entityName))

            var refusal: UnitOfWorkError?
            do {
                try await unitOfWork.execute { context in
                    context.insert(Shop.Order(id: "outer", customerID: "c1"))
                    let customer = try await context.find(Shop.Customer.self, id: "c1")
                    do {
                        try await unitOfWork.execute { context in
                            try await nesting.change(customer, in: context)
                            throw NestedChange.Failure()
                        }
                    } catch is NestedChange.Failure {}
                }
            } catch let error as UnitOfWorkError {
                refusal = error
            }

            try requireEqual(refusal?.code, .rollbackOnly, "the refusal of the outer unit of work")
            try require(refusal?.cause is NestedChange.Failure, "its cause is the inner failure")
            let after = try await store.fetch(DocumentQuery(kind: Shop.Customer.entityName))
            try requireEqual(after, before, "the list of customers")
            try requireKeys(try await store.fetch(DocumentQuery(kind: Shop.Order.entityName)), [], "the orders")
            try requireEqual(try await store.events(after: 0, limit: 9), [], "the log")
            try await unitOfWork.execute { $0.insert(Shop.Order(id: "outer", customerID: "c1")) }
            try requireKeys(try await store.fetch(DocumentQuery(kind: Shop.Order.entityName)), ["outer"], "the orders")
        }
    }
}

/// The change that a nested unit of work makes before it fails.
private enum NestedChange: String, CaseIterable, Sendable {
    case insertion, deletion, changeOfWhatTheOuterOneKnows, change, event

    struct Failure: Error {}

    nonisolated(nonsending) func change(_ known: Shop.Customer?, in context: EntityContext) async throws {
        switch self {
        case .insertion:
            context.insert(Shop.Order(id: "inner", customerID: "c1"))
        case .deletion:
            if let known { context.delete(known) }
        case .changeOfWhatTheOuterOneKnows:
            known?.email = "changed@example.org"
        case .change:
            try await context.find(Shop.Customer.self, id: "c2")?.email = "changed@example.org"
        case .event:
            known?.placeOrder(Shop.Order(id: "inner", customerID: "c1"))
        }
    }
}
