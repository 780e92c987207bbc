// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization

extension StoreContract {
    static let idempotencyChecks: [Check] =
        [
            Check("a taken idempotency key is reported before every other conflict") { fixture in
                let fixture = try await fixture.openDeliveries()
                let (one, two) = (Draft(key: "1", codes: ["one"]), Draft(key: "2", codes: ["two"]))
                try await fixture.store.commit(try ChangeSet().inserting(one, two).remembering("key"))
                var required = ChangeSet()
                required.requirements = [try one.document(version: 7)]
                let conflicts: [(String, ChangeSet)] = [
                    ("a stale update", try ChangeSet().updating(one, at: 2, to: one)),
                    ("a stale deletion", ChangeSet().deleting(one, at: 2)),
                    ("an insertion with a taken key", try ChangeSet().inserting(one)),
                    ("a unique value that is taken", try ChangeSet().inserting(Draft(key: "3", codes: ["two"]))),
                    ("an unmet requirement", required),
                ]
                for (name, changes) in conflicts {
                    try await fixture.store.refuse(changes.remembering("key"), with: .keyTaken, "\(name) under the key")
                }
            },
            Check("a command that fails within a unit of work and is retried with its key takes effect once") {
                fixture in
                let store = try await fixture.openDeliveries(Shop.entities).store
                let delegator = RecordingDelegator()
                let inner = MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])
                let outer = MiddlewareChain(middleware: [
                    RetryMiddleware(backoff: Backoff(base: .zero), clock: TestClock()),
                    UnitOfWorkMiddleware(on: store, delegator: delegator),
                ])
                let runs = Mutex(0)

                try await outer.run(PlaceOrder(), kind: .command) { command in
                    for _ in 1...2 {
                        do {
                            try await inner.run(command, kind: .command) { command in
                                try await command.place(on: store)
                                let isFirst = runs.withLock { runs in
                                    runs += 1
                                    return runs == 1
                                }
                                if isFirst { throw StoreError(code: .locked, message: "locked") }
                            }
                        } catch is StoreError {} catch is UnitOfWorkError {}
                    }
                }

                try requireEqual(runs.withLock(\.self), 2, "the number of calls of the handler")
                try requireEqual(try await PlaceOrder.count(on: store), 1, "the number of orders")
            },
        ]
        + Race.allCases.map { race in
            Check("of two processes with one key the second returns the first outcome: \(race.rawValue)") { fixture in
                let store = try await fixture.openDeliveries(Shop.entities).store
                let delegator = RecordingDelegator()
                // The middleware chains don't share state, as if they were in two processes.
                let chains = (0..<2).map { _ in
                    MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])
                }
                let first = chains[1]
                if race == .change {
                    let context = EntityContext(store)
                    context.insert(Shop.Customer(id: "c1", email: "ada@example.org"))
                    try await context.commit([])
                }

                let outcome = try await chains[0].run(PlaceOrder(), kind: .command) { command in
                    try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute { context in
                        if race != .refusal { try await race.perform(command, in: context) }
                        try await Task.detached {
                            try requireEqual(
                                try await first.run(command, kind: .command) { command in
                                    try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute {
                                        try await race.perform(command, in: $0)
                                    }
                                    return 1
                                },
                                1,
                                "the first outcome"
                            )
                        }.value
                        if race == .refusal { try await race.perform(command, in: context) }
                    }
                    return 2
                }

                try requireEqual(outcome, 1, "the second outcome")
                try requireEqual(try await PlaceOrder.count(on: store), 1, "the number of orders")
            }
        }
}

/// The relative timing of two processes that handle one command.
private enum Race: String, CaseIterable, Sendable {
    case change, insertion, uniqueValue, refusal

    nonisolated(nonsending) func perform(_ command: PlaceOrder, in context: EntityContext) async throws {
        switch self {
        case .change:
            try await context.find(Shop.Customer.self, id: "c1")?.orderCount += 1
        case .insertion:
            context.insert(PlaceOrder.customer("c1"))
        case .uniqueValue:
            context.insert(PlaceOrder.customer(MessageID.next()))
        case .refusal:
            if try await context.find(Shop.Customer.self, id: "c1") != nil { throw Shop.OrderRefused() }
            context.insert(PlaceOrder.customer("c1"))
        }
    }
}

private enum MessageID {
    private static let last = Mutex(0)

    static func next() -> String {
        last.withLock { last in
            last += 1
            return "id \(last)"
        }
    }
}

private struct PlaceOrder: Codable, Sendable, IdempotentMessage {
    var idempotencyKey: String { "place" }

    static func customer(_ id: String) -> Shop.Customer {
        let customer = Shop.Customer(id: id, email: "ada@example.org")
        customer.orderCount = 1
        return customer
    }

    /// Counts an order.
    nonisolated(nonsending) func place(on store: any EntityStore) async throws {
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
            let customer =
                try await context.find(Shop.Customer.self, id: "c1")
                ?? Shop.Customer(id: "c1", email: "ada@example.org")
            context.insert(customer)
            customer.orderCount += 1
        }
    }

    /// The number of orders of all customers.
    static func count(on store: any EntityStore) async throws -> Int {
        try await EntityContext(store).fetch(Shop.Customer.self).map(\.orderCount).reduce(0, +)
    }
}
