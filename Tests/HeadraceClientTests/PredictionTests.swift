// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(8))) struct PredictionTests {
    private let server: JournalServer

    init() throws {
        server = try JournalServer()
    }

    /// Runs `body` while `device` is connected.
    private func running(_ device: Device, _ body: () async throws -> Void) async throws {
        let running = Task { try await device.run() }
        defer { running.cancel() }
        try await body()
    }

    private func waitUntilNothingIsPending(on device: Device) async throws {
        for try await pending in device.offline.observePending() where pending.isEmpty { return }
    }

    /// Waits until the device has the effects of all commands from the server.
    private func waitUntilAllIsConfirmed(on device: Device) async throws {
        for try await count in device.store.observe({ try await $0.count(StoredOfflineCommand.self) })
        where count == 0 { return }
    }

    // MARK: Without a server

    @Test func aCommandIsVisibleWhenItIsSent() async throws {
        let device = try await Device(server)

        try await device.offline.send(AddLine(journal: "a", line: "1"))
        try await device.offline.send(AddLine(journal: "a", line: "2"))

        #expect(try await device.lines(of: "a") == ["1", "2"])
        #expect(try await server.lines(of: "a").isEmpty)
    }

    @Test func aCommandIsVisibleAfterARestart() async throws {
        let first = try await Device(server)
        try await first.offline.send(AddLine(journal: "a", line: "1"))

        let second = try await Device(server, on: first.store)

        #expect(try await second.lines(of: "a") == ["1"])
    }

    @Test func aPredictionIsTheSameEachTime() async throws {
        let device = try await Device(server)
        try await device.offline.send(AddLine(journal: "a", line: "1"))
        let marks = try await device.dispatcher.dispatch(ListJournals()).first?.marks

        try await device.offline.send(AddLine(journal: "b", line: "2"))
        let second = try await Device(server, on: device.store)

        #expect(marks?.count == 1)
        #expect(try await device.dispatcher.dispatch(ListJournals()).first?.marks == marks)
        #expect(try await second.dispatcher.dispatch(ListJournals()).first?.marks == marks)
    }

    @Test func aCommandWhoseHandlerFailsIsAConflictAndTheOthersStay() async throws {
        let device = try await Device(server)

        for line in ["1", "refused", "half", "2"] { try await device.offline.send(AddLine(journal: "a", line: line)) }

        #expect(try await device.lines(of: "a") == ["1", "2"])
        #expect(try await device.offline.pending.map { $0.conflict?.code } == [nil, "closed", "closed", nil])
    }

    @Test func aSentCommandIsExecutedAloneUntilTheEntitiesChange() async throws {
        let device = try await Device(server)
        for number in 1...20 { try await device.offline.send(AddLine(journal: "a", line: "\(number)")) }
        #expect(device.executions.value == 20)

        try await UnitOfWork(on: device.store, delegator: RecordingDelegator()).execute { $0.insert(Journal("b")) }
        try await device.offline.send(AddLine(journal: "b", line: "1"))

        #expect(device.executions.value == 41)
        #expect(try await device.lines(of: "a") == (1...20).map { "\($0)" })
        #expect(try await device.lines(of: "b") == ["1"])
    }

    @Test func aDiscardedCommandIsInvisible() async throws {
        let device = try await Device(server)
        let id = try await device.offline.send(AddLine(journal: "a", line: "1"))
        server.isUnreachable()

        try await running(device) {
            try await device.offline.discard(id)
            try await device.wait(for: [], of: "a")
        }
    }

    @Test func aUnitOfWorkThatIsRolledBackHasNoPrediction() async throws {
        let device = try await Device(server)
        await #expect(throws: JournalIsClosed.self) {
            try await UnitOfWork(on: device.store, delegator: RecordingDelegator()).execute { _ in
                try await device.offline.send(AddLine(journal: "a", line: "1"))
                throw JournalIsClosed()
            }
        }
        try await device.offline.send(AddLine(journal: "b", line: "1"))

        #expect(try await device.lines(of: "a").isEmpty)
    }

    @Test func theEventsOfAPredictionReachNoRelay() async throws {
        let device = try await Device(server)
        try await device.offline.send(AddLine(journal: "a", line: "1"))

        let request = LeaseRequest(
            subscriptions: ["archive"], laneLimit: 9, batchLimit: 9, now: Date(), duration: .seconds(9))
        #expect(try await device.predicted.lease(request).lanes.isEmpty)
        #expect(try await device.predicted.events(after: 0, limit: 10).count == 1)
        #expect(try await device.store.events(after: 0, limit: 10).isEmpty)
    }

    // MARK: With a server

    @Test func aServerWithoutValuesStopsTheOutboxForAMomentOnly() async throws {
        let clock = TestClock()
        let device = try await Device(server, clock: clock)
        server.faults { if $0 == .value { await untilCancelled() } }
        let moving = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
            }
        }
        defer { moving.cancel() }
        try await running(device) {
            for line in ["1", "2"] {
                try await device.offline.send(AddLine(journal: "a", line: line))
                try await waitUntilNothingIsPending(on: device)
            }
            #expect(try await device.lines(of: "a") == ["1", "2"])
            #expect(try await server.lines(of: "a") == ["1", "2"])

            server.faults { _ in }
            try await waitUntilAllIsConfirmed(on: device)
            #expect(try await device.lines(of: "a") == ["1", "2"])
        }
    }

    @Test func commandsAndReplicasGoOnWhenTheUserHasSignedInAgain() async throws {
        let device = try await Device(server, backoff: Backoff(base: .seconds(1)), clock: TestClock())
        server.demandsSignIn(true)
        try await device.offline.send(AddLine(journal: "a", line: "1"))

        try await running(device) {
            for try await pending in device.offline.observePending() where pending.first?.failure != nil { break }
            server.demandsSignIn(false)
            device.offline.wake()
            try await waitUntilAllIsConfirmed(on: device)
            try await device.wait(for: ["1"], of: "a")
        }
    }

    @Test func aRejectionUndoesThePrediction() async throws {
        let device = try await Device(server)
        server.isUnreachable()
        try await device.offline.send(AddLine(journal: "a", line: "1"))
        try await server.dispatcher.dispatch(AddLine(journal: "a", line: "closed"))

        try await running(device) {
            server.faults { _ in }
            try await device.wait(for: ["closed"], of: "a")
            for try await pending in device.offline.observePending() where pending.first?.isRejected == true { break }
        }

        let rejected = try #require(try await device.offline.pending.first)
        #expect(rejected.failure?.code == "closed")
        #expect(try await device.lines(of: "a") == ["closed"])
    }

    @Test func theEntitiesOfTheServerAreThereWithoutIt() async throws {
        try await server.dispatcher.dispatch(AddLine(journal: "a", line: "1"))
        let first = try await Device(server)
        try await running(first) { try await first.wait(for: ["1"], of: "a") }
        server.isUnreachable()

        let second = try await Device(server, on: first.store)

        #expect(try await second.lines(of: "a") == ["1"])
    }

    @Test func acknowledgedCommandsAreRemovedAfterARestart() async throws {
        let first = try await Device(server)
        server.faults { if $0 == .value { throw JournalIsClosed() } }
        try await running(first) {
            try await first.offline.send(AddLine(journal: "a", line: "1"))
            try await waitUntilNothingIsPending(on: first)
        }
        let second = try await Device(server, on: first.store)
        #expect(try await second.lines(of: "a") == ["1"])

        server.faults { _ in }
        try await server.dispatcher.dispatch(AddLine(journal: "a", line: "2"))
        try await running(second) {
            try await second.wait(for: ["1", "2"], of: "a")
            try await waitUntilAllIsConfirmed(on: second)
        }

        #expect(try await second.lines(of: "a") == ["1", "2"])
    }

    /// Each visible value has each sent line once, in order: none disappears for a moment, and none counts twice.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func aSentLineIsVisibleOnceFromThenOn(seed: UInt64) async throws {
        let luck = Mutex(SeededGenerator(seed: seed))
        server.faults { _ in
            for _ in 0..<luck.withLock({ Int.random(in: 0..<20, using: &$0) }) { await Task.yield() }
        }
        let device = try await Device(server)
        let all = (0..<20).map { "own \($0)" }

        try await running(device) {
            let watching = Task {
                var count = 0
                for try await journals in device.values {
                    let own = Self.ownLines(in: journals)
                    #expect(own == Array(all.prefix(own.count)))
                    #expect(own.count >= count)
                    count = own.count
                    if count == all.count { return }
                }
            }
            let other = Task { [server] in
                for number in 0..<20 {
                    try await server.dispatcher.dispatch(AddLine(journal: "a", line: "other \(number)"))
                    await Task.yield()
                }
            }
            for (number, line) in all.enumerated() {
                try await device.offline.send(AddLine(journal: "a", line: line))
                let own = Self.ownLines(in: try await device.dispatcher.dispatch(ListJournals()))
                #expect(own == Array(all.prefix(number + 1)))
                for _ in 0..<luck.withLock({ Int.random(in: 0..<30, using: &$0) }) { await Task.yield() }
            }
            try await other.value
            try await watching.value
            try await waitUntilNothingIsPending(on: device)
            try await device.wait(for: try await server.lines(of: "a"), of: "a")
        }
    }

    private static func ownLines(in journals: [Lines]) -> [String] {
        (journals.first { $0.journal == "a" }?.lines ?? []).filter { $0.hasPrefix("own") }
    }

    /// Cuts at any moment, with lost answers, and ends of the program.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func afterAllCutsTheDeviceEqualsTheServer(seed: UInt64) async throws {
        struct Cut: Error {}
        let luck = Mutex(SeededGenerator(seed: seed))
        server.faults { _ in
            if luck.withLock({ Int.random(in: 0..<4, using: &$0) }) == 0 { throw Cut() }
        }
        var device = try await Device(server)
        for life in 0..<4 {
            try await running(device) {
                for number in 0..<10 {
                    let line = "\(life).\(number)"
                    try await device.offline.send(AddLine(journal: "\(number % 3)", line: line))
                    #expect(try await device.lines(of: "\(number % 3)").contains(line))
                }
            }
            device = try await Device(server, on: device.store)
        }
        server.faults { _ in }

        try await running(device) {
            try await waitUntilNothingIsPending(on: device)
            for journal in 0..<3 {
                let lines = try await server.lines(of: "\(journal)")
                let expected = (0..<4).flatMap { life in
                    (0..<10).filter { $0 % 3 == journal }.map { "\(life).\($0)" }
                }
                #expect(lines == expected)
                try await device.wait(for: lines, of: "\(journal)")
            }
        }
    }
}
#endif
