// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceTesting
import Testing

/// States that other versions of a program have stored.
@Suite(.timeLimit(.minutes(2))) struct ProcessVersionTests {
    @Test(arguments: ProcessPlace.allCases)
    func theStateOfAnEarlierVersionIsMigrated(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run([VisitOne.self]) { relay, container in
                try await bench.raise(Entered(guest: "ada"), container)
                try await relay.untilIdle()
            }
            try await bench.run([VisitTwo.self]) { relay, container in
                let processes: Processes = container.resolve()
                #expect(try await processes.find(VisitTwo.self, key: "ada")?.state.names == ["ada"])
                try await bench.raise(Left(guest: "ada"), container)
                try await relay.untilIdle()

                let visit = try #require(try await processes.find(VisitTwo.self, key: "ada"))
                #expect(visit.state.names == ["ada", "left"])
                #expect(visit.handledCount == 2)
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func theStateOfALaterVersionWaitsForARelayThatKnowsIt(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run([VisitTwo.self]) { relay, container in
                try await bench.raise(Entered(guest: "ada"), container)
                try await relay.untilIdle()
            }
            try await bench.run([VisitOne.self]) { relay, container in
                try await bench.raise(Left(guest: "ada"), container)
                try await relay.advance(by: .seconds(60))
                #expect(bench.mishaps.count == 2, "the event and the time-out are left once each: \(bench.mishaps)")
                #expect(
                    bench.mishaps.allSatisfy {
                        $0.hasPrefix("left")
                            && $0.contains(
                                "'visit/ada' was stored with version 2; 'HeadraceProcessesTests.VisitOne' knows 1.")
                    }
                )
                #expect(try await bench.pendingCount() == 2)

                try await bench.run([VisitTwo.self]) { newer, container in
                    try await newer.untilIdle()
                    let visit = try await container.resolve(Processes.self).find(VisitTwo.self, key: "ada")
                    #expect(visit?.state.names.sorted() == ["ada", "late", "left"])
                    #expect(try await bench.pendingCount() == 0)
                }
            }
        }
    }

    @Test func aStateThatDoesNotDecodeMakesADeadLetterAtOnce() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run([VisitOne.self]) { relay, container in
                try await bench.raise(Entered(guest: "ada"), container)
                try await relay.untilIdle()
            }
            try await bench.run([VisitBroken.self]) { relay, container in
                try await bench.raise(Left(guest: "ada"), container)
                await #expect(throws: RelayError.self) { try await relay.untilIdle() }

                #expect(bench.mishaps.count == 1)
                #expect(
                    bench.mishaps.first?.contains("The state of the process 'visit/ada', stored with version 1") == true
                )
            }
        }
    }
}

private struct Entered: DurableDomainEvent {
    static let eventName = "entered"
    var guest: String
}

private struct Left: DurableDomainEvent {
    static let eventName = "left"
    var guest: String
}

private enum VisitStep: String, Codable { case here }

private struct VisitOne: DurableProcess {
    static let processName = "visit"
    static let commands: [any DurableCommand.Type] = []

    enum Timeout: String, CaseIterable { case late }

    var step = VisitStep.here
    var name: String

    init(key: String) { name = key }

    static let reactions: [ProcessReaction<VisitOne>] = [
        .start(on: Entered.self, by: \.guest) { _, _, _ in },
        .on(Left.self, by: \.guest) { _, _, _ in },
        .onTimeout(.late) { _, _ in },
    ]
}

private struct VisitTwo: DurableProcess {
    static let processName = "visit"
    static let processVersion = 2
    static let processMigrations = [
        JSONMigration(from: 1) { visit in
            visit["names"] = .array([visit.removeValue(forKey: "name") ?? .null])
        }
    ]
    static let commands: [any DurableCommand.Type] = []

    enum Timeout: String, CaseIterable { case late }

    var step = VisitStep.here
    var names: [String]

    init(key: String) { names = [key] }

    static let reactions: [ProcessReaction<VisitTwo>] = [
        .start(on: Entered.self, by: \.guest) { _, _, context in context.setTimeout(.late, after: .seconds(30)) },
        .on(Left.self, by: \.guest) { visit, _, _ in visit.names.append("left") },
        .onTimeout(.late) { visit, _ in visit.names.append("late") },
    ]
}

private struct VisitBroken: DurableProcess {
    static let processName = "visit"
    static let commands: [any DurableCommand.Type] = []

    var step = VisitStep.here
    var number: Int

    init(key: String) { number = 1 }

    static let reactions: [ProcessReaction<VisitBroken>] = [
        .start(on: Entered.self, by: \.guest) { _, _, _ in },
        .on(Left.self, by: \.guest) { _, _, _ in },
    ]
}
