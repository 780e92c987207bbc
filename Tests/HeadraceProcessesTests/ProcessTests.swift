// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// Processes on a relay, from the first event to the end.
@Suite(.timeLimit(.minutes(2))) struct ProcessTests {
    @Test(arguments: ProcessPlace.allCases)
    func aProcessReactsToEventsOfSeveralStreamsAndEnds(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
                let processes: Processes = container.resolve()
                let paying = try #require(try await processes.find(Fulfilment.self, key: "1"))
                #expect(paying.state.step == .paying)
                #expect(paying.timeouts == [.payment: bench.clock.date.addingTimeInterval(900)])
                #expect(try await processes.running(Fulfilment.self).map(\.state.order) == ["1"])

                try await bench.raise(PaymentTaken(order: "1"), in: "payment", container)
                try await relay.untilIdle()
                try await bench.raise(Shipped(order: "1"), in: "shipment", container)
                try await relay.untilIdle()

                let ended = try #require(try await processes.find(Fulfilment.self, key: "1"))
                #expect(ended.state.step == .shipped)
                #expect(ended.endedAt == bench.clock.date)
                #expect(ended.timeouts == [:])
                #expect(ended.handledCount == 3)
                #expect(try await processes.running(Fulfilment.self).isEmpty)
                #expect(try await bench.commands() == ["ship 1", "take 100 for 1"])
                #expect(try await bench.pendingCount() == 0, "the time-out is cancelled")
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases) func aFailedStepIsCompensated(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                for event: any DurableDomainEvent in [
                    PurchasePlaced(order: "1"), PaymentTaken(order: "1"), ShipmentFailed(order: "1"),
                    PaymentRefunded(order: "1"),
                ] {
                    try await bench.raise(event, container)
                    try await relay.untilIdle()
                }
                try await relay.advance(by: .seconds(3_600))

                #expect(
                    try await bench.commands() == [
                        "cancel 1: lost", "refund 100 for 1", "ship 1", "take 100 for 1",
                    ]
                )
                #expect(try await bench.pendingCount() == 0, "the end cancels the time-out that is left")
            }
        }
    }

    @Test func theTimeoutsOfAReactionAreStoredInTheOrderOfTheirNames() async throws {
        let bench = ProcessBench(try InMemoryStore(entities: [StoredProcess.self, CarriedOut.self]))
        try await bench.run([Stretch.self]) { relay, container in
            try await bench.raise(PurchasePlaced(order: "1"), container)
            try await relay.untilIdle()

            let pending = try await PendingDeliveries(in: bench.store).page().sorted { $0.id.lane < $1.id.lane }
            let names = pending.map { delivery in
                guard case .scheduled(let message) = delivery.content else { return "event" }
                return message.name.split(separator: "/").last.map(String.init) ?? ""
            }
            #expect(names == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])
        }
    }

    @Test(arguments: ProcessPlace.allCases) func aTimeoutFiresAtItsTimeAndNotBefore(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.advance(by: .seconds(900) - .milliseconds(1))
                #expect(try await bench.commands() == ["take 100 for 1"])
                try await relay.advance(by: .milliseconds(1))

                #expect(try await bench.commands() == ["cancel 1: not paid", "take 100 for 1"])
                let process = try await container.resolve(Processes.self).find(Fulfilment.self, key: "1")
                #expect(process?.state.step == .cancelled)
                #expect(process?.handledCount == 2)
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func aTimeoutThatIsSetAgainFiresOnceAtItsNewTime(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
                try await bench.raise(PaymentDelayed(order: "1", seconds: 2_000), container)
                try await relay.advance(by: .seconds(1_999))
                #expect(try await bench.commands() == ["take 100 for 1"])
                try await relay.advance(by: .seconds(1))

                #expect(try await bench.commands() == ["cancel 1: not paid", "take 100 for 1"])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func aLateEventAfterTheEndIsIgnoredAndCounted(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.advance(by: .seconds(900))
                let processes: Processes = container.resolve()
                let ended = try #require(try await processes.find(Fulfilment.self, key: "1"))

                try await bench.raise(PaymentTaken(order: "1"), in: "payment", container)
                try await bench.raise(PurchasePlaced(order: "1", amount: 7), in: "other", container)
                try await relay.untilIdle()

                let late = try #require(try await processes.find(Fulfilment.self, key: "1"))
                #expect(late.lateCount == 2)
                #expect(late.handledCount == ended.handledCount)
                #expect(late.state.step == .cancelled)
                #expect(try await bench.commands() == ["cancel 1: not paid", "take 100 for 1"])
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test func anEventWithoutAProcessIsIgnored() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PaymentTaken(order: "1"), container)
                try await bench.raise(PurchasePlaced(order: nil), container)
                try await relay.untilIdle()

                #expect(try await container.resolve(Processes.self).running(Fulfilment.self).isEmpty)
                #expect(try await bench.pendingCount() == 0)
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test func aReactionThatThrowsStoresNothingAndIsRetried() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run(attempts: 2) { relay, container in
                try await bench.raise(PurchasePlaced(order: "1", amount: -1), container)
                await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(3_600)) }

                #expect(bench.mishaps == ["failed fulfilment", "dead fulfilment: InvalidAmount()"])
                #expect(try await container.resolve(Processes.self).find(Fulfilment.self, key: "1") == nil)
            }
        }
    }

    @Test func endedProcessesCanBeRemoved() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                let processes: Processes = container.resolve()
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.advance(by: .seconds(900))
                try await bench.raise(PurchasePlaced(order: "2"), container)
                try await relay.untilIdle()

                #expect(try await processes.removeEnded(before: bench.clock.date) == 0)
                try await relay.advance(by: .seconds(1))
                #expect(try await processes.removeEnded(before: bench.clock.date) == 1)
                #expect(try await processes.find(Fulfilment.self, key: "1") == nil)
                #expect(try await processes.find(Fulfilment.self, key: "2") != nil)
            }
        }
    }

    @Test func allEndedProcessesAreRemovedInSeveralTransactions() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                let processes: Processes = container.resolve()
                for number in 0..<5 { try await bench.raise(PurchasePlaced(order: "\(number)"), container) }
                try await relay.advance(by: .seconds(900))
                try await relay.advance(by: .seconds(1))

                #expect(try await processes.removeEnded(before: bench.clock.date, batchLimit: 2) == 5)
                #expect(try await processes.find(Fulfilment.self, key: "4") == nil)
                for number in 5..<9 { try await bench.raise(PurchasePlaced(order: "\(number)"), container) }
                try await relay.advance(by: .seconds(900))
                try await relay.advance(by: .seconds(1))

                // In a unit of work, all of them are removed in its transaction.
                let delegator: any DomainEventDelegator = container.resolve()
                let removed = try await UnitOfWork(on: store, delegator: delegator).execute { _ in
                    try await processes.removeEnded(before: bench.clock.date, batchLimit: 2)
                }
                #expect(removed == 4)
                #expect(try await processes.find(Fulfilment.self, key: "8") == nil)
            }
        }
    }

    @Test func aProcessCanNotBeReplayed() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
                let error = await #expect(throws: RelayError.self) {
                    try await container.resolve(Relay.self).replay("fulfilment")
                }
                #expect(error?.code == .notReplayable)

                // A tool can request the replay from the store.
                _ = try await store.replay("fulfilment", eventsNamed: ["order-placed"], after: 0)
                try await relay.untilIdle()
                #expect(try await bench.commands() == ["take 100 for 1"])
            }
        }
    }
}

/// Sets many time-outs at once.
private struct Stretch: DurableProcess {
    static let processName = "stretch"
    static let commands: [any DurableCommand.Type] = []

    enum Step: String, Codable { case waiting }
    enum Timeout: String, CaseIterable { case a, b, c, d, e, f, g, h, i, j }

    var step: Step { .waiting }

    init(key order: String) {}

    static let reactions: [ProcessReaction<Stretch>] =
        [
            .start(on: PurchasePlaced.self, by: \.order) { _, _, context in
                for timeout in Timeout.allCases { context.setTimeout(timeout, after: .seconds(60)) }
            }
        ] + Timeout.allCases.map { .onTimeout($0) { _, _ in } }
}
