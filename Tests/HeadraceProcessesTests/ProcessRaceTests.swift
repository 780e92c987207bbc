// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// Several deliveries to one process at the same time.
@Suite(.timeLimit(.minutes(2))) struct ProcessRaceTests {
    @Test(arguments: ProcessPlace.allCases)
    func twoEventsAtOnceForANewProcessStartOneProcessThatReactsToBoth(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            let holding = HoldingStore(store, holding: "meeting")
            try await bench.run([Meeting.self], on: holding) { relay, container in
                let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
                try await unitOfWork.execute { context in
                    context.raiseEvent(LeftArrived(place: "p"), for: EntityReference(kind: "left", key: "1"))
                    context.raiseEvent(RightArrived(place: "p"), for: EntityReference(kind: "right", key: "1"))
                }
                try await relay.untilIdle()

                #expect(holding.hasHeld)
                let meeting = try #require(try await container.resolve(Processes.self).find(Meeting.self, key: "p"))
                #expect(meeting.handledCount == 2)
                #expect(meeting.state.step == .together)
                #expect(meeting.endedAt != nil)
                #expect(bench.mishaps == [], "the conflict costs no attempt")
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func aTimeoutThatIsOvertakenByItsEventHasNoEffect(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            let holding = HoldingStore(store, holding: ScheduledMessage.subscription)
            try await bench.run(on: holding) { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
                bench.clock.advance(by: .seconds(900))
                await holding.arrival()
                try await bench.raise(PaymentTaken(order: "1"), in: "payment", container)
                try await relay.untilIdle()

                let process = try #require(try await container.resolve(Processes.self).find(Fulfilment.self, key: "1"))
                #expect(process.state.step == .shipping)
                #expect(try await bench.commands() == ["ship 1", "take 100 for 1"])
                #expect(try await bench.pendingCount() == 0)
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func aMessageOfATimeoutThatWasSetAgainHasNoEffect(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
                // As if the message of the first time-out had been leased before it was cancelled.
                let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
                try await unitOfWork.execute { _ = try $0.send(ObsoleteTimeout(key: "1", message: UUID())) }
                try await relay.untilIdle()

                let process = try #require(try await container.resolve(Processes.self).find(Fulfilment.self, key: "1"))
                #expect(process.state.step == .paying)
                #expect(try await bench.commands() == ["take 100 for 1"])
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func anEventThatIsOvertakenByItsTimeoutIsLate(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                try await relay.untilIdle()
            }
            let holding = HoldingStore(store, holding: "fulfilment")
            try await bench.run(on: holding) { relay, container in
                try await relay.untilIdle()
                try await bench.raise(PaymentTaken(order: "1"), in: "payment", container)
                await holding.arrival()
                bench.clock.advance(by: .seconds(900))
                try await relay.untilIdle()

                let process = try #require(try await container.resolve(Processes.self).find(Fulfilment.self, key: "1"))
                #expect(process.state.step == .cancelled)
                #expect(process.lateCount == 1)
                #expect(try await bench.commands() == ["cancel 1: not paid", "take 100 for 1"])
                #expect(bench.mishaps == [])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases)
    func severalRelaysShareManyEventsOfOneProcess(place: ProcessPlace) async throws {
        try await place.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run([Tally.self], attempts: 50) { first, container in
                try await bench.run([Tally.self], attempts: 50) { second, _ in
                    let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
                    try await unitOfWork.execute { context in
                        for number in 1...40 {
                            context.raiseEvent(
                                Counted(number: number), for: EntityReference(kind: "s", key: "\(number)"))
                        }
                    }
                    while try await bench.pendingCount() > 0 {
                        do {
                            try await first.advance(by: .seconds(1))
                            try await second.untilIdle()
                        } catch let error as RelayError where error.code == .handlerFailed {
                            // A conflict with the other relay, whose delivery either of them handles later.
                        }
                    }
                }
                let tally = try #require(try await container.resolve(Processes.self).find(Tally.self, key: 0))
                #expect(tally.handledCount == 40)
                #expect(tally.state.numbers.sorted() == Array(1...40))
            }
        }
    }
}

/// Waits until both sides have arrived.
private struct Meeting: DurableProcess {
    static let processName = "meeting"
    static let commands: [any DurableCommand.Type] = []

    enum Step: String, Codable { case empty, left, right, together }

    var step = Step.empty

    init(key: String) {}

    static let reactions: [ProcessReaction<Meeting>] = [
        .start(on: LeftArrived.self, by: \.place) { meeting, _, context in
            meeting.step = meeting.step == .right ? .together : .left
            if meeting.step == .together { context.end() }
        },
        .start(on: RightArrived.self, by: \.place) { meeting, _, context in
            meeting.step = meeting.step == .left ? .together : .right
            if meeting.step == .together { context.end() }
        },
    ]
}

private struct LeftArrived: DurableDomainEvent {
    static let eventName = "left-arrived"
    var place: String
}

private struct RightArrived: DurableDomainEvent {
    static let eventName = "right-arrived"
    var place: String
}

/// Collects numbers.
private struct Tally: DurableProcess {
    static let processName = "tally"
    static let commands: [any DurableCommand.Type] = []

    enum Step: String, Codable { case counting }

    var step = Step.counting
    var numbers: [Int] = []

    init(key: Int) {}

    static let reactions: [ProcessReaction<Tally>] = [
        .start(on: Counted.self, by: { _ in 0 }) { tally, event, _ in tally.numbers.append(event.number) }
    ]
}

private struct Counted: DurableDomainEvent {
    static let eventName = "counted"
    var number: Int
}

/// A message in the form of those of the time-out `payment` of a ``Fulfilment``.
private struct ObsoleteTimeout: DurableCommand {
    static let commandName = "headrace.process/fulfilment/payment"
    let key: String
    let message: UUID
}
