// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceFlux
import HeadraceTesting
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// Queued actions, which share one task and need little memory.
@Suite(.timeLimit(.minutes(5))) struct QueueTests {
    #if os(Linux)
    /// Runs in a separate process, so that other tests don't affect the measurement.
    @Test func aMillionQueuedActionsTakeLessThan200BytesEach() async {
        await #expect(processExitsWith: .success) {
            let ledger = Ledger()
            let count = 1_000_000
            ledger.deactivate()
            let before = try residentBytes()

            for _ in 0..<count { ledger.queue(Perform { _ in }) }

            #expect(ledger.pipeline.waitingCount == count)
            #expect(try residentBytes() - before < 200 * count)
            ledger.activate()
            try await ledger.drain()
            #expect(ledger.pipeline.waitingCount == 0)
        }
    }
    #endif

    @Test func oneTaskExecutesAllQueuedActions() async throws {
        let ledger = Ledger()
        let tasks = Mutex<Set<UInt>>([])
        ledger.deactivate()
        for _ in 0..<100 {
            ledger.queue(
                Perform { _ in
                    await Task.yield()
                    let task = TaskIdentity.address
                    tasks.withLock { _ = $0.insert(task) }
                })
        }

        ledger.activate()
        try await ledger.drain()

        #expect(tasks.withLock { $0.count } == 1)
    }

    @Test func aQueuedActionHasTheSystemValuesOfItsCaller() async throws {
        let (ledger, fixed) = (Ledger(), UUID())
        SystemValues.withCurrent(SystemValues(uuid: { fixed })) {
            ledger.queue(Perform { $0.note(UUID.version7().uuidString) })
        }
        ledger.queue(Perform { $0.note("\(UUID.version7() == fixed)") })

        try await ledger.drain()

        #expect(ledger.entries == [fixed.uuidString, "false"])
    }

    @Test func awaitedAndQueuedActionsKeepTheirOrder() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        var awaited: [Task<Void, any Error>] = []
        for number in 0..<20 {
            if number % 3 == 0 {
                awaited += await ledger.enqueue([Note("\(number)")])
            } else {
                ledger.queue(Note("\(number)"))
            }
        }

        ledger.activate()
        for task in awaited { try await task.value }
        try await ledger.drain()

        #expect(ledger.entries == (0..<20).map { "\($0)" })
    }

    @Test func aQueuedActionSeesTheMessageThePrincipalAndTheLoggerOfItsCaller() async throws {
        let ledger = Ledger(middlewares: [ValidationMiddleware()])
        let handler = InMemoryLogHandler()
        let contexts = Mutex<[MessageContext]>([])
        let outer = Mutex<MessageContext?>(nil)
        let note = Perform { ledger in
            let context = try #require(MessageContext.current)
            contexts.withLock { $0.append(context) }
            Logger.current.info("\(context.principal?.principalID ?? "none")")
        }
        ledger.deactivate()

        ledger.queue(note)
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            try await MessageContext.withPrincipal(User(principalID: "Ada")) {
                try await withRootMessage("request") { _ in
                    outer.withLock { $0 = MessageContext.current }
                    ledger.queue(note)
                }
            }
        }
        ledger.queue(note)
        ledger.activate()
        try await ledger.drain()

        let seen = contexts.withLock(\.self)
        #expect(seen.map { $0.principal?.principalID } == [nil, "Ada", nil])
        #expect(seen.map(\.causationID) == [nil, outer.withLock { $0?.id }, nil])
        #expect(handler.entries.map(\.message) == ["Ada"])
    }

    @Test func aQueuedActionSeesTheListedTaskLocalValuesOfItsCallerAndNoOthers() async throws {
        let ledger = Ledger(Pipeline(carrying: Tenant.$current))
        let note = Perform { $0.note("\(Tenant.current) \(Tenant.unlisted)") }
        ledger.deactivate()

        Tenant.$current.withValue("a") { Tenant.$unlisted.withValue("a") { ledger.queue(note) } }
        Tenant.$current.withValue("b") { ledger.queue(note) }
        ledger.queue(note)
        Tenant.$current.withValue("c") { Tenant.$unlisted.withValue("c") { ledger.activate() } }
        try await ledger.drain()

        #expect(ledger.entries == ["a none", "b none", "none none"])
    }

    @Test func aQueuedActionHasThePriorityOfItsCaller() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        let expected: [TaskPriority] = [.low, .high, .high, .background, .low]
        for priority in expected {
            let gate = Gate()
            Task.detached(priority: priority) {
                ledger.queue(Perform { $0.note("\(Task.currentPriority.rawValue)") })
                gate.open()
            }
            await gate.pass()
        }

        ledger.activate()
        try await ledger.drain()

        #expect(ledger.entries == expected.map { "\($0.rawValue)" })
    }

    @Test func anActionThatCancelsItsTaskDoesNotCancelTheNextAction() async throws {
        let ledger = Ledger()
        ledger.deactivate()
        ledger.queue(
            Perform { ledger in
                cancelCurrentTask()
                ledger.note("\(Task.isCancelled)")
            })
        ledger.queue(Perform { $0.note("\(Task.isCancelled)") })

        ledger.activate()
        try await ledger.drain()

        #expect(ledger.entries == ["true", "false"])
    }

    @Test func aFailingQueuedActionIsLoggedBeforeTheDispatcherIsDrained() async throws {
        let handler = InMemoryLogHandler()
        let ledger = Ledger()
        try await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            ledger.queue(Perform { _ in throw Failure() })
            try await ledger.drain()
        }

        #expect(handler.entries.map { $0.metadata["error"] } == ["Failure()"])
    }

    @Test func queuingDispatchingCancellingAndPausingAtRandomLosesAndRepeatsNothing() async throws {
        for seed in UInt64(0)..<20 {
            let ledger = Ledger()
            let expected = Names()
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<6 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed * 10 + UInt64(task))
                        for number in 0..<100 {
                            let note = Note("\(task) \(number)", suspensions: Int.random(in: 0...2, using: &generator))
                            if Bool.random(using: &generator) {
                                expected.insert(note.name)
                                ledger.queue(note)
                                continue
                            }
                            let dispatched = Task { await ledger.dispatch(note) }
                            if Int.random(in: 0..<3, using: &generator) == 0 { dispatched.cancel() }
                            if case .success = await dispatched.value {
                                expected.insert(note.name)
                            }
                        }
                    }
                }
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<100 {
                        if Bool.random(using: &generator) { ledger.activate() } else { ledger.deactivate() }
                        for _ in 0..<Int.random(in: 0...5, using: &generator) { await Task.yield() }
                    }
                    ledger.activate()
                }
            }
            try await ledger.drain()

            #expect(Set(ledger.entries) == expected.all, "seed \(seed)")
            #expect(ledger.entries.count == expected.all.count, "seed \(seed)")
            #expect(ledger.overlaps == 0, "seed \(seed)")
            for task in 0..<6 {
                let numbers = ledger.entries.filter { $0.hasPrefix("\(task) ") }.compactMap { Int($0.dropFirst(2)) }
                #expect(numbers == numbers.sorted(), "seed \(seed)")
            }
        }
    }

    @Test func withEachLimitEveryQueuedActionIsExecutedOrLoggedOnce() async {
        for seed in UInt64(0)..<30 {
            var generator = SeededGenerator(seed: seed)
            let policies: [Overflow] = [.suspend, .dropOldest, .dropNewest, .coalesce { ($0 as? Counted)?.number }]
            let overflow = policies[Int(seed) % policies.count]
            let limit = Int.random(in: 0...20, using: &generator)
            let handler = InMemoryLogHandler()
            let executed = Count()
            let allEnded = ConditionVariable(false)
            do {
                let ledger = Ledger(Pipeline(limit: limit, overflow: overflow))
                let token = Token(allEnded)
                await withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
                    await withTaskGroup(of: Void.self) { group in
                        for task in 0..<4 {
                            group.addTask {
                                for number in 0..<100 {
                                    ledger.queue(Counted(number: number % 8, count: executed, token: token))
                                    if number % 10 == task { await Task.yield() }
                                    if number % 50 == 10 * task { ledger.deactivate() }
                                    if number % 50 == 10 * task + 5 { ledger.activate() }
                                }
                            }
                        }
                    }
                }
                // Released while it is paused, released while it is active, or shut down.
                if seed % 3 == 1 { ledger.activate() } else { ledger.deactivate() }
                if seed % 3 == 2 { await ledger.shutDown() }
            }
            await allEnded.wait { $0 }
            #expect(allEnded.value, "seed \(seed)")

            #expect(executed.value + handler.entries.count == 400, "seed \(seed)")
            #expect(handler.entries.allSatisfy { $0.level == .error }, "seed \(seed)")
        }
    }
}

#if os(Linux)
/// Bytes of memory that the process uses, as the system counts them.
private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * Int(getpagesize())
}
#endif

/// The names of the actions that must have been executed.
private final class Names: Sendable {
    private let names = Mutex<Set<String>>([])

    var all: Set<String> { names.withLock(\.self) }

    func insert(_ name: String) { names.withLock { _ = $0.insert(name) } }
}

/// Counts the actions that were executed.
private final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock(\.self) }

    func add() { count.withLock { $0 += 1 } }
}

/// Opens a gate when the last action that holds it was executed or rejected.
private final class Token: Sendable {
    private let isFreed: ConditionVariable<Bool>

    init(_ isFreed: ConditionVariable<Bool>) { self.isFreed = isFreed }

    deinit { isFreed.change { $0 = true } }
}

private struct Counted: Action {
    let number: Int
    let count: Count
    let token: Token

    func execute(with ledger: Ledger) async {
        if number % 2 == 0 { await Task.yield() }
        count.add()
    }
}

private enum Tenant {
    @TaskLocal static var current = "none"
    @TaskLocal static var unlisted = "none"
}

private struct User: Principal {
    let principalID: String
}
