// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import Measuring
import UnitOfWorkSubjects

/// Measures the cost of a unit of work without a disk: find, change, one event, two handlers, commit.
@main
enum UnitOfWorkBenchmark {
    static func main() {
        if CommandLine.arguments.contains("--ordered") { runToExit { try await OrderedReads.run() } }
        Benchmark([
            Figure(execute, floor: handWritten, atMost: 2),
            Figure(executeGenerated, floor: handWritten, atMost: 2),
            Figure(executeEventSourced, floor: handWritten),
            Figure(changeTwentyFields, floor: handWritten),
            Figure(changeTwentyFieldsGenerated, floor: handWritten),
            Figure(executeNothing, floor: handWrittenNothing),
        ]).run()
    }

    private static let execute = Workload("execute-in-memory") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(CheckDeposit.self)
        registrar.register(NoteDeposit.self)
        return { iterations in
            let store = try InMemoryStore(entities: [Account.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Account(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(Account.self, id: 1)?.deposit(1)
                }
            }
        }
    }

    /// The same with an entity whose reader and writer are generated.
    private static let executeGenerated = Workload("execute-in-memory-generated") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(CheckDeposit.self)
        registrar.register(NoteDeposit.self)
        return { iterations in
            let store = try InMemoryStore(entities: [GeneratedAccount.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(GeneratedAccount(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(GeneratedAccount.self, id: 1)?.deposit(1)
                }
            }
        }
    }

    /// The same with an entity that is folded from its events: from a snapshot and 4.5 events on average.
    private static let executeEventSourced = Workload("execute-in-memory-event-sourced") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(CheckSourcedDeposit.self)
        registrar.register(NoteSourcedDeposit.self)
        return { iterations in
            let store = try InMemoryStore(entities: [SourcedAccount.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(SourcedAccount.open(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(SourcedAccount.self, id: 1)?.deposit(1)
                }
            }
        }
    }

    /// Finds and changes an entity with twenty properties, without an event.
    private static let changeTwentyFields = Workload("change-twenty-fields") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        return { iterations in
            let store = try InMemoryStore(entities: [CodableShipment.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(CodableShipment(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(CodableShipment.self, id: 1)?.renumber()
                }
            }
        }
    }

    private static let changeTwentyFieldsGenerated = Workload("change-twenty-fields-generated") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        return { iterations in
            let store = try InMemoryStore(entities: [GeneratedShipment.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(GeneratedShipment(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(GeneratedShipment.self, id: 1)?.renumber()
                }
            }
        }
    }

    /// A unit of work without entities and events, on a context of the program.
    private static let executeNothing = Workload("execute-nothing") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        return { iterations in
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: Nothing()).execute { consume($0) }
            }
        }
    }

    private static let handWrittenNothing = Workload("floor-hand-written-nothing") {
        { iterations in
            for _ in 0..<iterations { try await HandWritten.execute(Nothing()) { consume($0) } }
        }
    }

    private static let handWritten = Workload("floor-hand-written") {
        { iterations in
            let books = HandWritten()
            for _ in 0..<iterations { try await books.deposit(1) }
        }
    }
}
