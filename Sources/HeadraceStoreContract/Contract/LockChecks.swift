// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// Units of work that lock entities, and units of work that conflict without locks.
extension StoreContract {
    static func lockChecks(for capabilities: Capabilities) -> [Check] {
        [
            Check(
                "of 300 units of work of two clients that change one entity without a lock, each succeeds with retries"
            ) {
                fixture in
                let first = try await fixture.openShop()
                let second = capabilities.isShared ? try await fixture.openStore(Shop.entities) : first
                let conflicts = Counter()
                let chains = [first, second].map { store in
                    MiddlewareChain(middleware: [
                        RetryMiddleware(backoff: Backoff(base: .zero), clock: TestClock()), Counting(conflicts),
                        UnitOfWorkMiddleware(on: store, delegator: RecordingDelegator()),
                    ])
                }

                try await withThrowingTaskGroup(of: Void.self) { group in
                    for client in 0..<12 {
                        let (chain, store) = (chains[client % 2], client % 2 == 0 ? first : second)
                        group.addTask {
                            for _ in 0..<25 {
                                try await chain.run(Addition(), kind: .command) { _ in
                                    try await store.addOrder(to: "a", for: nil)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }

                try requireEqual(try await first.orderCount(of: "a"), 300, "the sum after \(conflicts.value) conflicts")
            },
            Check("16 units of work that lock the entity that they change never conflict") { fixture in
                let store = try await fixture.openShop()

                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            for _ in 0..<4 { try await store.addOrder(to: "a", for: .update) }
                        }
                    }
                    try await group.waitForAll()
                }

                try requireEqual(try await store.orderCount(of: "a"), 64, "the sum")
            },
            Check("a lock ends with its unit of work, also if that fails, or is cancelled while it waits") { fixture in
                let store = try await fixture.openShop()
                let unitOfWork = UnitOfWork(on: store, delegator: RecordingDelegator())
                var isRefused = false
                do {
                    try await unitOfWork.execute { context in
                        _ = try await context.find(Shop.Customer.self, id: "a", for: .update)
                        throw Shop.OrderRefused()
                    }
                } catch is Shop.OrderRefused {
                    isRefused = true
                }
                try require(isRefused, "the unit of work throws its error")

                let (isLocked, gate) = (Gate.opened, Gate())
                async let holder: Void = UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                    _ = try await context.find(Shop.Customer.self, id: "a", for: .update)
                    await isLocked.pass()
                    await gate.pass()
                }
                await isLocked.arrivals(1)
                let waiter = Task { try await store.addOrder(to: "a", for: .update) }
                waiter.cancel()
                let outcome = await waiter.result
                gate.open()
                try await holder
                try await store.addOrder(to: "a", for: .update)

                try require((try? outcome.get()) == nil, "the cancelled unit of work fails")
                try requireEqual(try await store.orderCount(of: "a"), 1, "the sum")
            },
            Check("a nested unit of work locks what the outer unit of work has locked") { fixture in
                let store = try await fixture.openShop()

                try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                    try await context.find(Shop.Customer.self, id: "a", for: .update)?.orderCount += 1
                    try await store.addOrder(to: "a", for: .update)
                }

                try requireEqual(try await store.orderCount(of: "a"), 2, "the sum")
            },
            Check("of two units of work that wait for each other's locks one fails and can be retried") { fixture in
                let store = try await fixture.openShop()
                let gates = [Gate(), Gate()]
                let refusals = Counter()

                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, ids) in [["a", "b"], ["b", "a"]].enumerated() {
                        group.addTask {
                            var isFirst = true
                            while true {
                                do {
                                    return try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute {
                                        [isFirst] context in
                                        for (index, id) in ids.enumerated() {
                                            let customer = try await context.find(
                                                Shop.Customer.self, id: id, for: .update)
                                            customer?.orderCount += 1
                                            guard isFirst, index == 0 else { continue }
                                            gates[number].open()
                                            await gates[1 - number].pass()
                                        }
                                    }
                                } catch let error as StoreError where error.isConflict {
                                    try requireEqual(error.code, .locked, "the code of the refusal")
                                    refusals.increase()
                                    isFirst = false
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }

                try require(refusals.value >= 1, "one of the units of work is refused")
                try requireEqual(try await store.orderCount(of: "a"), 2, "the sum of the first entity")
                try requireEqual(try await store.orderCount(of: "b"), 2, "the sum of the second entity")
            },
        ]
    }
}

/// A command without content.
private struct Addition: Sendable {}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock(\.self) }

    func increase() { count.withLock { $0 += 1 } }
}

/// Counts the conflicts of units of work.
private struct Counting: Middleware {
    private let conflicts: Counter

    init(_ conflicts: Counter) {
        self.conflicts = conflicts
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        do {
            return try await next(message)
        } catch let error as StoreError where error.isConflict {
            conflicts.increase()
            throw error
        }
    }
}

extension StoreFixture {
    /// Opens a shop with the customers "a" and "b".
    fileprivate nonisolated(nonsending) func openShop() async throws -> any EntityStore {
        let store = try await openStore(Shop.entities)
        try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
            for id in ["a", "b"] { context.insert(Shop.Customer(id: id, email: "\(id)@example.org")) }
        }
        return store
    }
}

extension EntityStore {
    /// Reads, changes, and writes a customer in a unit of work, with `lock` if it isn't `nil`.
    fileprivate nonisolated(nonsending) func addOrder(to id: String, for lock: EntityLock?) async throws {
        try await UnitOfWork(on: self, delegator: RecordingDelegator()).execute { context in
            let customer =
                if let lock {
                    try await context.find(Shop.Customer.self, id: id, for: lock)
                } else {
                    try await context.find(Shop.Customer.self, id: id)
                }
            // Other units of work commit meanwhile.
            await Task.yield()
            customer?.orderCount += 1
        }
    }

    fileprivate nonisolated(nonsending) func orderCount(of id: String) async throws -> Int? {
        try await EntityContext(self).find(Shop.Customer.self, id: id)?.orderCount
    }
}
