// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceWorkflows
import Measuring

#if POSTGRES
import HeadracePostgres
#else
import HeadraceSQLite
#endif

/// A program with a store, a dispatcher, a relay, and three workflows.
final class Shop: Sendable {
    private let container: Container
    private let handled = Tally()

    init(in folder: URL) async throws {
        let entities: [any StoredEntity.Type] = [StoredWorkflow.self, Row.self]
        #if POSTGRES
        var configuration = PostgresStore.Configuration()
        // A name of PostgreSQL has up to 63 characters.
        configuration.schema = "s" + folder.path(percentEncoded: false).lowercased().filter(\.isHexDigit).suffix(40)
        let url = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"] ?? ""
        let store = try await PostgresStore(url: url, entities: entities, configuration: configuration)
        #else
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let store = try SQLiteStore(
            path: folder.appending(path: "store.sqlite").path(percentEncoded: false), entities: entities)
        #endif
        let builder = ContainerBuilder()
        builder.singleton(Tally.self) { [handled] in handled }
        builder.domain(store: store, workflows: [ThreeSteps.self, Long.self, Sleeper.self])
        builder.commandQueryDispatch().standard(commandHandlers: [AddRowHandler.self])
        container = builder.build()
    }

    /// Runs `body` with a relay, which doesn't run again afterwards.
    func withRelay<Result>(_ body: () async throws -> Result) async throws -> Result {
        let relay: Relay = container.resolve()
        let running = Task { try await relay.run() }
        let result = try await body()
        // The shutdown ends when the last commit is stored.
        relay.shutDown()
        try await running.value
        return result
    }

    /// Runs `body`, and waits until `count` rows are added.
    func add(_ count: Int, _ body: () async throws -> Void) async throws {
        let target = handled.count + count
        try await body()
        await handled.wait(for: target)
    }

    /// Sends three commands in each of `count` units of work.
    func sendCommands(_ count: Int) async throws {
        try await fromCallers(count) { _ in
            let work: UnitOfWork<EntityContext> = self.container.resolve()
            try await work.execute { context in
                for _ in 0..<3 { try context.send(AddRow()) }
            }
        }
    }

    /// Starts an instance of three steps in each of `count` units of work.
    func startWorkflows(_ count: Int) async throws {
        try await fromCallers(count) { number in
            let workflows: Workflows = self.container.resolve()
            try await workflows.start(ThreeSteps(), id: number)
        }
    }

    /// Starts `count` instances that sleep, a hundred in each unit of work.
    func startSleepers(_ count: Int) async throws {
        let first = handled.count
        try await fromCallers(count / 100) { number in
            let work: UnitOfWork<EntityContext> = self.container.resolve()
            try await work.execute { context in
                for index in 0..<100 { try await context.start(Sleeper(), id: first + number * 100 + index) }
            }
        }
    }

    /// Runs an instance until it has done `steps` steps.
    func startLong(steps: Int) async throws {
        let workflows: Workflows = container.resolve()
        try await withRelay { try await add(steps) { try await workflows.start(Long(steps: steps), id: 1) } }
    }

    /// Lets the instance of ``startLong(steps:)`` do its last step, and returns the time that this takes.
    func finishLong() async throws -> Duration {
        let work: UnitOfWork<EntityContext> = container.resolve()
        return try await withRelay {
            // The session of the relay and its first lease aren't part of the continuation.
            try await add(1) { _ = try await work.execute { try $0.send(AddRow()) } }
            let begin = ContinuousClock.now
            try await add(1) { try await work.execute { $0.raiseEvent(Finish(id: 1)) } }
            return begin.duration(to: .now)
        }
    }

    private func fromCallers(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for caller in 0..<64 {
                group.addTask {
                    for number in stride(from: caller, to: count, by: 64) { try await body(number) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A row that a command adds.
final class Row: StoredEntity {
    static let entityName = "row"
    let id: UUID
    var raisedEvents = RaisedEvents()

    init() {
        id = .version7()
    }
}

struct AddRow: DurableCommand, CQDCommand {
    static let commandName = "add-row"
}

struct AddRowHandler: HandlesCommand, Resolvable {
    private let work: UnitOfWork<EntityContext>
    private let handled: Tally

    static var dependencies: Dependencies { Dependencies().on(UnitOfWork<EntityContext>.self).on(Tally.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        work = scope.resolve()
        handled = scope.resolve()
    }

    func handle(_ command: AddRow) async throws {
        try await work.execute { $0.insert(Row()) }
        handled.add()
    }
}

/// Three commands, one after the other.
struct ThreeSteps: DurableWorkflow {
    static let workflowName = "three-steps"

    func run(_ flow: WorkflowContext) async throws {
        for _ in 0..<3 { try await flow.dispatch(AddRow()) }
    }
}

/// Many commands, and after an event one more.
struct Long: DurableWorkflow {
    static let workflowName = "long"
    static let receives: [WorkflowEvent<Long>] = [.event(Finish.self, by: \.id)]

    let steps: Int

    func run(_ flow: WorkflowContext) async throws {
        for _ in 0..<steps { try await flow.dispatch(AddRow()) }
        _ = try await flow.next(Finish.self)
        try await flow.dispatch(AddRow())
    }
}

struct Finish: DurableDomainEvent {
    static let eventName = "finish"
    let id: Int
}

/// One command, and a long pause.
struct Sleeper: DurableWorkflow {
    static let workflowName = "sleeper"

    func run(_ flow: WorkflowContext) async throws {
        try await flow.dispatch(AddRow())
        try await flow.sleep(for: .seconds(86_400))
    }
}
