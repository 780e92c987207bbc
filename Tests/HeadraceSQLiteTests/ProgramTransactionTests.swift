// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Events, commands, and entities in transactions that the program has begun.
@Suite(.timeLimit(.minutes(3))) struct ProgramTransactionTests {
    @Test(arguments: ProgramDatabase.allCases)
    func anEventIsHandledIfItsTransactionIsCommitted(_ kind: ProgramDatabase) async throws {
        try await withShop(kind) { database, store, relay in
            try await database.write { database in
                try database.buy(1)
                try store.raise(Purchased(number: 1), in: database)
            }
            try await relay.untilIdle()
            #expect(try database.confirmations() == [1])

            await #expect(throws: Regret.self) {
                try await database.write { database in
                    try database.buy(2)
                    try store.raise(Purchased(number: 2), in: database)
                    throw Regret()
                }
            }
            try await relay.untilIdle()
            #expect(try database.purchases() == [1])
            #expect(try database.confirmations() == [1])
            #expect(try await store.deliveryStatistics().lastPosition == 1)
        }
    }

    /// The relay looks for deliveries each hour, so only the end of the transaction can wake it.
    @Test(arguments: ProgramDatabase.allCases)
    func theCommitWakesTheRelayOfTheProcess(_ kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database)
            let handled = AsyncStream.makeStream(of: Int.self)
            let services = ServiceLocator()
            services.register(handled.continuation)
            let registrar = DomainEventHandlerRegistrar(resolver: services)
            registrar.register(ReportPurchase.self)
            var configuration = Relay.Configuration()
            configuration.pollInterval = .seconds(3_600)
            let relay = Relay(store: store, registrar: registrar, configuration: configuration)
            async let running: Void = relay.run()
            var numbers = handled.stream.makeAsyncIterator()

            for number in 1...20 {
                try await database.write { database in
                    try database.buy(number)
                    try store.raise(Purchased(number: number), in: database)
                }
                #expect(await numbers.next() == number)
            }
            relay.shutDown()
            try await running
        }
    }

    @Test func aSavepointThatIsRolledBackTakesItsEventsWithIt() async throws {
        try await withShop { database, store, relay in
            try await database.write { database in
                try database.buy(1)
                try store.raise(Purchased(number: 1), in: database)
                try database.inSavepoint {
                    try database.buy(2)
                    try store.raise(Purchased(number: 2), in: database)
                    return .rollback
                }
                try database.inSavepoint {
                    try database.buy(3)
                    try store.raise(Purchased(number: 3), in: database)
                    return .commit
                }
            }
            try await relay.untilIdle()
            #expect(try database.purchases() == [1, 3])
            #expect(try database.confirmations().sorted() == [1, 3])
        }
    }

    @Test func aTransactionOfACancelledTaskLeavesNothing() async throws {
        try await withShop { database, store, relay in
            let (start, begin) = AsyncStream.makeStream(of: Task<Void, any Error>.self)
            let task = Task {
                var tasks = start.makeAsyncIterator()
                let own = await tasks.next()
                try await database.write { database in
                    try database.buy(1)
                    try store.raise(Purchased(number: 1), in: database)
                    own?.cancel()
                    try store.raise(Purchased(number: 2), in: database)
                }
            }
            begin.yield(task)
            await #expect(throws: CancellationError.self) { try await task.value }

            try await relay.untilIdle()
            #expect(try database.purchases().isEmpty)
            #expect(try await store.events(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func anInterruptedTransactionLeavesNothing() async throws {
        try await withShop { database, store, relay in
            let interrupts = DatabaseFunction("interrupts", argumentCount: 1) { _ in
                database.interrupt()
                return 1
            }
            await #expect { () async throws in
                try await database.write { database in
                    database.add(function: interrupts)
                    try database.buy(1)
                    try store.raise(Purchased(number: 1), in: database)
                    try database.execute(sql: "UPDATE purchase SET number = interrupts(number)")
                }
            } throws: { ($0 as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT }

            try await database.write { database in
                try database.buy(2)
                try store.raise(Purchased(number: 2), in: database)
            }
            try await relay.untilIdle()
            #expect(try database.confirmations() == [2])
        }
    }

    @Test func aLongTransactionKeepsTheOrderOfEachSource() async throws {
        try await withShop { database, store, relay in
            let count = 2_000
            try await database.write { database in
                for number in 0..<count {
                    try database.buy(number)
                    let customer = EntityReference(kind: "customer", key: "\(number % 3)")
                    try store.raise(Purchased(number: number), for: customer, in: database)
                }
            }
            try await relay.untilIdle()
            let confirmed = try database.confirmations()
            #expect(confirmed.count == count)
            for customer in 0..<3 {
                #expect(confirmed.filter { $0 % 3 == customer } == stride(from: customer, to: count, by: 3).map(\.self))
            }
        }
    }

    @Test func aCommandIsCarriedOutIfItsTransactionIsCommitted() async throws {
        let carriedOut = Mutex<[Int]>([])
        try await withShop { database, store, relay in
            relay.carryOut(Charge.self) { charge in carriedOut.withLock { $0.append(charge.number) } }
        } body: { database, store, relay in
            let later = Date(timeIntervalSince1970: relay.clock.date.timeIntervalSince1970 + 60)
            let id = try await database.write { database in
                try store.send(Charge(number: 1), in: database)
                try store.schedule(Charge(number: 2), at: later, in: database)
                return try store.schedule(Charge(number: 3), at: later, in: database)
            }
            _ = try? await database.write { database in
                try store.send(Charge(number: 4), in: database)
                throw Regret()
            }
            try await database.write { try store.cancelScheduled(id, in: $0) }
            try await relay.untilIdle()
            #expect(carriedOut.withLock(\.self) == [1])

            try await relay.advance(by: .seconds(61))
            #expect(carriedOut.withLock(\.self) == [1, 2])
        }
    }

    @Test func anEventBelongsToTheMessageThatIsBeingHandled() async throws {
        try await withShop { database, store, relay in
            let context = try await MessageContext.withPrincipal(Clerk()) {
                try await MiddlewareChain().run(Charge(number: 1), kind: .command) { _ in
                    try await database.write { try store.raise(Purchased(number: 1), in: $0) }
                    return MessageContext.current
                }
            }
            let event = try #require(try await store.events(after: 0, limit: 1).first?.event)
            let message = try #require(context)
            #expect(event.origin.causationID == message.id)
            #expect(event.origin.correlationID == message.correlationID)
            #expect(event.origin.principalID == "clerk")
        }
    }

    // MARK: Entities

    @Test func anEntityIsChangedInTheTransactionOfTheProgram() async throws {
        try await withShop { database, store, relay in
            try await database.write { database in
                try database.buy(1)
                try store.execute(in: database) { context in
                    let note = Note("a", size: 1)
                    context.insert(note)
                    note.raiseEvent(Purchased(number: 1))
                }
                try store.execute(in: database) { context in
                    let note = try context.find(Note.self, id: "a", in: database)
                    let same = try context.find(Note.self, id: "a", in: database)
                    let missing = try context.find(Note.self, id: "b", in: database)
                    #expect(note?.size == 1)
                    #expect(same === note)
                    #expect(missing == nil)
                    note?.size = 2
                }
            }
            try await relay.untilIdle()
            #expect(try database.confirmations() == [1])
            let size = EntityIndex<Note>("size") { $0.size }
            let notes = try await store.execute { try await $0.fetch(Note.self, where: [.equals(size, 2)]) }
            #expect(notes.map(\.id) == ["a"])

            try await database.write { database in
                #expect(throws: Regret.self) {
                    try store.execute(in: database) { context in
                        try context.find(Note.self, id: "a", in: database)?.size = 3
                        throw Regret()
                    }
                }
                #expect(throws: StoreError.self) {
                    try store.execute(in: database) { $0.insert(Note("a")) }
                }
                try database.buy(2)
                try store.execute(in: database) { context in
                    if let note = try context.find(Note.self, id: "a", in: database) { context.delete(note) }
                }
            }
            #expect(try await store.noteIDs().isEmpty)
            #expect(try database.purchases() == [1, 2])
        }
    }

    @Test func aUnitOfWorkFindsThatTheProgramHasChangedItsEntity() async throws {
        try await withShop { database, store, _ in
            try await store.insertNotes("a")
            await #expect {
                try await store.execute { context in
                    let note = try await context.find(Note.self, id: "a")
                    try await database.write { database in
                        try store.execute(in: database) { context in
                            try context.find(Note.self, id: "a", in: database)?.size = 7
                        }
                    }
                    note?.size = 8
                }
            } throws: { ($0 as? StoreError)?.code == .versionConflict }
            #expect(try await store.execute { try await $0.find(Note.self, id: "a")?.size } == 7)
        }
    }

    @Test func sqlOfAUnitOfWorkCanRaiseEvents() async throws {
        try await withShop { database, store, relay in
            try await store.execute { context in
                context.insert(Note("a"))
                context.perform { database in
                    try database.buy(1)
                    try store.raise(Purchased(number: 1), in: database)
                }
            }
            try await relay.untilIdle()
            #expect(try database.confirmations() == [1])
        }
    }

    // MARK: Refusals

    @Test func anotherConnectionIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "shop.sqlite")
            let database = try ProgramDatabase.pool.open(path)
            let other = try ProgramDatabase.pool.open(path)
            let store = try SQLiteStore(on: database)
            let relay = Relay.confirming(store)
            let raise: @Sendable (Database) throws -> Void = { try store.raise(Purchased(number: 1), in: $0) }

            expectUnsupported("not the writer") { try database.read(raise) }
            expectUnsupported("not the writer") { try other.write(raise) }
            expectUnsupported("in no transaction") { try database.writeWithoutTransaction(raise) }
            #expect(try await store.events(after: 0, limit: 1).isEmpty)
            withExtendedLifetime(relay) {}
        }
    }

    @Test func anEventThatNoRelayKnowsIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let database = try ProgramDatabase.pool.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database)
            expectUnsupported("no relay of this process") {
                try database.write { try store.raise(Purchased(number: 1), in: $0) }
            }
        }
    }

    @Test func anEventWithAHandlerThatIsNotDurableIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let database = try ProgramDatabase.pool.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database)
            let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
            registrar.register(ConfirmPurchase.self)
            registrar.register(CheckPurchase.self)
            let relay = Relay(store: store, registrar: registrar)
            expectUnsupported("CheckPurchase") {
                try database.write { database in
                    try database.buy(1)
                    try store.raise(Purchased(number: 1), in: database)
                }
            }
            #expect(try database.purchases().isEmpty)
            #expect(try await store.events(after: 0, limit: 1).isEmpty)
            withExtendedLifetime(relay) {}
        }
    }

    /// Expects an error with the code `unsupportedWork` that mentions `text`.
    private func expectUnsupported(_ text: String, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self, performing: body)
        #expect(error?.code == .unsupportedWork)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    /// Runs `body` with the database of a program, the store in it, and a running relay.
    private func withShop(
        _ kind: ProgramDatabase = .pool,
        prepare: (any DatabaseWriter, SQLiteStore, Relay) throws -> Void = { _, _, _ in },
        body: (any DatabaseWriter, SQLiteStore, TestRelay) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            let relay = Relay.confirming(store)
            try prepare(database, store, relay)
            try await TestRelay.run(relay) { try await body(database, store, $0) }
            try store.close()
            try database.close()
        }
    }
}

private struct Charge: DurableCommand {
    static let commandName = "charge"
    var number: Int
}

private struct Clerk: Principal {
    let principalID = "clerk"
}

/// Sends the numbers of purchases to the test.
private struct ReportPurchase: DurableDomainEventHandler {
    static let subscriptionName = "report"

    static func handle(event: Purchased, resolver: any DependencyResolver) async throws {
        resolver.resolve(AsyncStream<Int>.Continuation.self).yield(event.number)
    }
}

/// A handler before the commit.
private struct CheckPurchase: DomainEventHandler {
    static func handle(event: Purchased, resolver: any DependencyResolver) async throws {}
}
#endif
