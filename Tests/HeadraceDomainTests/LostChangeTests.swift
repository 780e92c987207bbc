// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import Logging
import Testing

@testable import HeadraceDomain

/// Contexts that are released with changes that nothing has stored.
@Suite(.timeLimit(.minutes(1))) struct LostChangeTests {
    private typealias Work = @Sendable (EntityContext, SpyStore) async throws -> Void

    private struct Change: Sendable {
        let text: String
        let work: Work

        init(_ text: String, _ work: @escaping Work) {
            self.text = text
            self.work = work
        }
    }

    private let store: SpyStore
    private let delegator = RecordingDelegator()

    init() throws {
        store = try SpyStore()
    }

    /// Returns the errors that are logged while `body` runs.
    private nonisolated(nonsending) func errors(
        _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws -> [String] {
        let handler = InMemoryLogHandler()
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in try await body() }
        return handler.entries.filter { $0.level == .error }.map { "\($0.message)" }
    }

    private static func message(_ changes: String) -> String {
        """
        An 'EntityContext' was released with changes that no unit of work has committed, so they are lost: \(changes). To fix, \
        add 'UnitOfWorkMiddleware<EntityContext>.self' to the 'resolvedMiddleware' of the dispatcher, or change the entities \
        within 'execute' of a 'UnitOfWork'. To discard changes, call 'rollback()'.
        """
    }

    @Test(
        "a released context logs its changes",
        arguments: [
            Change("the customer 'new'") { context, _ in context.insert(Customer("new")) },
            Change("the customer 'a'") { context, _ in try await context.find(Customer.self, id: "a")?.age = 42 },
            Change("the customer 'a'") { context, _ in
                if let customer = try await context.find(Customer.self, id: "a") { context.delete(customer) }
            },
            Change("the customer 'a'") { context, _ in
                try await context.find(Customer.self, id: "a")?.raiseEvent(Noted("lost"))
            },
            Change("events (1)") { context, _ in context.raiseEvent(Renamed(name: "b")) },
            Change(
                "the customer '0', the customer '1', the customer '2', the customer '3', the customer '4', the customer '5', "
                    + "the customer '6', the customer '7', and 2 more"
            ) { context, _ in
                for number in 0..<10 { context.insert(Customer("\(number)")) }
            },
        ]
    )
    private func aReleasedContextLogsItsChanges(_ change: Change) async throws {
        try await store.store(Customer("a"), Customer("b"))

        let errors = try await errors { try await change.work(EntityContext(store), store) }

        #expect(errors == [Self.message(change.text)])
    }

    @Test(
        "a released context logs nothing without changes, or if its changes were stored, rolled back, or refused",
        arguments: [
            { context, _ in _ = try await context.find(Customer.self, id: "a") },
            { context, _ in _ = try await context.fetch(Customer.self) },
            { context, _ in
                try await context.find(Customer.self, id: "a")?.age = 42
                try await context.commit([])
            },
            { context, _ in
                context.insert(Customer("new"))
                context.rollback()
            },
            { context, _ in
                context.insert(Customer("a"))
                await #expect(throws: StoreError.self) { try await context.commit([]) }
            },
            { _, store in
                try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { $0.insert(Customer("new")) }
            },
            { _, store in
                await #expect(throws: CancellationError.self) {
                    try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                        context.insert(Customer("new"))
                        throw CancellationError()
                    }
                }
            },
            { _, store in try await store.read { try await $0.find(Customer.self, id: "a")?.age = 42 } },
        ] as [Work]
    )
    private func aReleasedContextLogsNothing(work: @escaping Work) async throws {
        try await store.store(Customer("a"), Customer("b"))

        let errors = try await errors { try await work(EntityContext(store), store) }

        #expect(errors == [])
    }

    @Test func ofThousandsOfReadEntitiesOnlyTheFirstAreCompared() async throws {
        let context = EntityContext(store)
        for number in 1_000..<3_000 { context.insert(Customer("\(number)")) }
        try await context.commit([])

        let errors = try await errors {
            for customer in try await EntityContext(store).fetch(Customer.self) { customer.age = 42 }
        }

        #expect(errors == [])
        let changed = try await self.errors {
            let context = EntityContext(store)
            for customer in try await context.fetch(Customer.self) { customer.age = 42 }
        }
        #expect(changed.count == 1)
        #expect(changed.first?.contains("the customer '1007'. To fix") == true)
    }

    @Test func aTestWithTestValuesFails() {
        withKnownIssue {
            SystemValues.withCurrent(.test()) { EntityContext(store).insert(Customer("new")) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("so they are lost: the customer 'new'") }
        }
    }
}
