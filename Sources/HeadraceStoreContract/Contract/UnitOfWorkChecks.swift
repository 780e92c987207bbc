// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting

extension StoreContract {
    static let unitOfWorkChecks: [Check] = [
        Check("a unit of work stores changes and events together, and then notifies") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let notifications = Shop.Notifications()
            let registrar = Shop.registrar(telling: notifications)
            func unitOfWork() -> UnitOfWork<EntityContext> {
                UnitOfWork(delegator: registrar, context: EntityContext(store))
            }
            try await unitOfWork().execute { context in
                context.insert(Shop.Customer(id: "c1", email: "ada@example.org"))
            }

            for number in 1...3 {
                try await unitOfWork().execute { context in
                    guard let customer = try await context.find(Shop.Customer.self, id: "c1") else { return }
                    let order = Shop.Order(id: "o\(number)", customerID: customer.id)
                    customer.placeOrder(order)
                    context.insert(order)
                }
            }

            let customer = try await unitOfWork().execute { context in
                try await context.fetch(Shop.Customer.self, where: [.equals(.email, "ada@example.org")]).first
            }
            try requireEqual(customer?.orderCount, 3, "the number of orders")
            let events = try await store.events(after: 0, limit: 10).map(\.event)
            try requireEqual(
                events.map(\.name),
                ["order-placed", "order-placed", "order-placed", "became-regular"],
                "the names in the log"
            )
            try requireEqual(
                Set(events.map(\.stream)),
                [EntityReference(kind: "shop-customer", key: "c1")],
                "the streams of the log"
            )
            try requireEqual(
                try events.first.map { try JSONDecoder().decode(Shop.OrderPlaced.self, from: $0.json) },
                Shop.OrderPlaced(customerID: "c1", orderID: "o1"),
                "the first event"
            )
            try requireEqual(
                notifications.sent,
                (1...3).map { "Your order #o\($0) is being processed." },
                "the list of notifications"
            )
        },
        Check("an entity that was deleted and inserted again since it was read is a conflict") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let registrar = Shop.registrar(telling: Shop.Notifications())
            func unitOfWork() -> UnitOfWork<EntityContext> {
                UnitOfWork(delegator: registrar, context: EntityContext(store))
            }
            try await unitOfWork().execute { $0.insert(Shop.Customer(id: "c1", email: "ada@example.org")) }

            for isDeletion in [false, true] {
                var refusal: StoreError?
                do {
                    try await unitOfWork().execute { context in
                        guard let customer = try await context.find(Shop.Customer.self, id: "c1") else { return }
                        // A separate context, which does not join this unit of work.
                        let other = EntityContext(store)
                        guard let same = try await other.find(Shop.Customer.self, id: "c1") else { return }
                        other.delete(same)
                        try await other.commit([])
                        other.insert(Shop.Customer(id: "c1", email: "\(isDeletion)@example.org"))
                        try await other.commit([])
                        if isDeletion {
                            context.delete(customer)
                        } else {
                            customer.placeOrder(Shop.Order(id: "o", customerID: customer.id))
                        }
                    }
                } catch let error as StoreError {
                    refusal = error
                }
                try requireEqual(refusal?.code, .versionConflict, "the refusal")
            }

            let customer = try await EntityContext(store).fetch(
                Shop.Customer.self, where: [.equals(.email, "true@example.org")])
            try requireEqual(customer.map(\.orderCount), [0], "the list of order counts")
        },
        Check("a unit of work that a handler refuses stores nothing, and can be retried") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let notifications = Shop.Notifications()
            let registrar = Shop.registrar(telling: notifications)
            let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))

            for orderID in ["refused", "accepted"] {
                do {
                    try await unitOfWork.execute { context in
                        let customer = Shop.Customer(id: "c1", email: "ada@example.org")
                        context.insert(customer)
                        customer.placeOrder(Shop.Order(id: "other", customerID: "c1"))
                        customer.placeOrder(Shop.Order(id: orderID, customerID: "c1"))
                    }
                } catch is Shop.OrderRefused {
                    let documents = try await store.fetch(DocumentQuery(kind: Shop.Customer.entityName))
                    try requireKeys(documents, [], "the store after a refusal")
                    try requireEqual(try await store.events(after: 0, limit: 9), [], "the log after a refusal")
                    try requireEqual(notifications.sent, [], "the list of notifications after a refusal")
                }
            }

            try requireEqual(try await store.events(after: 0, limit: 9).count, 2, "the number of events")
            try requireEqual(notifications.sent.count, 2, "the number of notifications")
        },
        Check("an unchanged entity is not written, and a changed entity is written once") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let unitOfWork = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
            try await unitOfWork.execute { context in
                context.insert(Shop.Customer(id: "read", email: "read@example.org"))
                context.insert(Shop.Customer(id: "changed", email: "changed@example.org"))
            }

            try await unitOfWork.execute { context in
                for customer in try await context.fetch(Shop.Customer.self) where customer.id == "changed" {
                    customer.email = "first@example.org"
                    customer.email = "second@example.org"
                }
            }

            let versions = try await store.fetch(DocumentQuery(kind: Shop.Customer.entityName)).map(\.version)
            try requireEqual(versions, [2, 1], "the list of versions of the changed and the unchanged entity")
        },
        Check("an entity that is deleted and inserted again in one unit of work has its new state") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let unitOfWork = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
            try await unitOfWork.execute { context in
                context.insert(Shop.Customer(id: "c1", email: "old@example.org"))
            }

            try await unitOfWork.execute { context in
                if let old = try await context.find(Shop.Customer.self, id: "c1") { context.delete(old) }
                context.insert(Shop.Customer(id: "c1", email: "new@example.org"))
                context.insert(Shop.Customer(id: "c2", email: "old@example.org"))
            }

            let emails = try await unitOfWork.execute { context in
                try await context.fetch(Shop.Customer.self, orderedBy: .ascending(.email)).map {
                    "\($0.id) \($0.email)"
                }
            }
            try requireEqual(emails, ["c1 new@example.org", "c2 old@example.org"], "the list of stored customers")
        },
        Check("conflicting units of work lose nothing when they are retried") { fixture in
            let store = try await fixture.openStore(Shop.entities)
            let notifications = Shop.Notifications()
            let registrar = Shop.registrar(telling: notifications)
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Shop.Customer(id: "c1", email: "ada@example.org"))
            }

            try await withThrowingTaskGroup { group in
                for writer in 0..<6 {
                    group.addTask {
                        let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
                        for number in 0..<6 {
                            var isStored = false
                            var conflicts = 0
                            while !isStored {
                                do {
                                    try await unitOfWork.execute { context in
                                        guard let customer = try await context.find(Shop.Customer.self, id: "c1")
                                        else { return }
                                        let order = Shop.Order(id: "\(writer)-\(number)", customerID: "c1")
                                        context.insert(order)
                                        customer.placeOrder(order)
                                    }
                                    isStored = true
                                } catch let error as StoreError where error.code == .versionConflict {
                                    conflicts += 1
                                    try require(conflicts < 10_000, "a unit of work succeeds eventually", "it does not")
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let count = try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                try await context.find(Shop.Customer.self, id: "c1")?.orderCount
            }
            try requireEqual(count, 36, "the number of orders counted")
            try requireEqual(
                try await store.fetch(DocumentQuery(kind: Shop.Order.entityName)).count,
                36,
                "the number of orders stored"
            )
            try requireEqual(notifications.sent.count, 36, "the number of notifications")
            let names = try await store.events(after: 0, limit: .max).map(\.event.name)
            try requireEqual(names.count { $0 == "order-placed" }, 36, "the number of orders in the log")
            try requireEqual(
                names.count { $0 == "became-regular" }, 1, "the number of became-regular events in the log")
        },
    ]
}
