// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceTesting
import Synchronization
import Testing

/// The clock of the machine is wrong for three seconds, while everything that waits for a time is stored.
@Suite(.timeLimit(.minutes(2))) struct ClockJumpTests {
    /// The jumps: a day and a year ahead, and back to 1960.
    static let jumps: [TimeInterval] = [86_400, 365 * 86_400, -41 * 365 * 86_400]

    private let clock: TestClock
    private let offset = Offset()

    init() {
        clock = TestClock()
        let rest = clock.date.timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
        clock.advance(by: .milliseconds(Int(((60 - rest) * 1_000).rounded())))
    }

    private func withStore(_ place: ProcessPlace, _ body: (any DeliveryStore) async throws -> Void) async throws {
        try await place.withStore([StoredProcess.self, StoredSchedule.self, CarriedOut.self], body)
    }

    private func container(_ store: any DeliveryStore, catchUp: CatchUp) throws -> Container {
        let builder = ContainerBuilder()
        let schedule = RecurringSchedule("minutely", try .every(.seconds(60)), catchUp: catchUp) {
            Note(text: "tick \(Int($0.timeIntervalSince1970))")
        }
        let failures = Failures()
        builder.domain(
            store: store,
            scheduled: ProcessBench.scheduled + [
                ScheduledCommand(Note.self) { command, scope in
                    if command.text == "retried", failures.isFirst() { throw InvalidAmount() }
                    try await CarriedOut.note(command.text, scope)
                }
            ],
            processes: [Fulfilment.self],
            schedules: [schedule]
        )
        return builder.build()
    }

    /// Runs a relay on the clock of the machine, which is ahead by the offset.
    private nonisolated(nonsending) func run(
        _ store: any DeliveryStore,
        catchUp: CatchUp = .last,
        _ body: nonisolated(nonsending) (Relay, Container) async throws -> Void
    ) async throws {
        let container = try container(store, catchUp: catchUp)
        defer { withExtendedLifetime(container) {} }
        var values = SystemValues.test(clock: clock, seed: offset.nextSeed())
        values.date = { [clock, offset] in clock.date.addingTimeInterval(offset.seconds) }
        try await SystemValues.withCurrent(values) {
            let relay: Relay = container.resolve()
            try await withRelay(relay) { try await body(relay, container) }
        }
    }

    /// Lets `seconds` pass, one by one.
    private nonisolated(nonsending) func pass(_ seconds: Int, _ relay: Relay) async throws {
        for _ in 0..<seconds {
            clock.advance(by: .seconds(1))
            try await relay.untilIdle()
        }
    }

    private nonisolated(nonsending) func carriedOut(_ store: any DeliveryStore) async throws -> [String] {
        let all = try await EntityContext(store).fetch(CarriedOut.self)
        #expect(all.allSatisfy { $0.count == 1 }, "carried out more than once")
        return all.map(\.id).filter { !$0.hasPrefix("tick") }.sorted()
    }

    /// The minutes from `start` to `end` for which the schedule has fired.
    private nonisolated(nonsending) func ticks(
        _ store: any DeliveryStore,
        from start: Date,
        to end: Date
    ) async throws -> [Int] {
        let all = try await EntityContext(store).fetch(CarriedOut.self).map(\.id)
        let times = all.compactMap { $0.hasPrefix("tick ") ? Int($0.dropFirst(5)) : nil }
        let range = Int(start.timeIntervalSince1970)...Int(end.timeIntervalSince1970)
        return times.filter(range.contains).sorted().map { ($0 - range.lowerBound) / 60 }
    }

    @Test(arguments: ProcessPlace.allCases, jumps)
    func waitsThatAWrongClockHasStoredTakeNoLongerThanIntended(place: ProcessPlace, jump: TimeInterval) async throws {
        try await withStore(place) { store in
            try await run(store) { relay, container in
                let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
                try await pass(10, relay)
                offset.seconds = jump
                try await unitOfWork.execute { context in
                    try context.send(Note(text: "sent"))
                    try context.send(Note(text: "retried"))
                    try context.schedule(Note(text: "delayed"), after: .seconds(30))
                    try context.schedule(Note(text: "never"), at: clock.date.addingTimeInterval(40 * 365 * 86_400))
                    context.raiseEvent(
                        PurchasePlaced(order: "1"), for: EntityReference(kind: "stream", key: "order"))
                }
                try await relay.untilIdle()
                try await pass(3, relay)
                offset.seconds = 0
                try await pass(40, relay)
                // A wait that a clock has stored that is behind ends too early, and not too late.
                let early = jump < 0 ? ["cancel 1: not paid"] : []
                #expect(try await carriedOut(store) == early + ["delayed", "retried", "sent", "take 100 for 1"])

                try await pass(900, relay)
                #expect(
                    try await carriedOut(store) == [
                        "cancel 1: not paid", "delayed", "retried", "sent", "take 100 for 1",
                    ])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases, jumps)
    func aScheduleFiresAtEachTimeAfterAJump(place: ProcessPlace, jump: TimeInterval) async throws {
        try await withStore(place) { store in
            let start = clock.date
            try await run(store) { relay, _ in
                try await pass(130, relay)
                offset.seconds = jump
                try await pass(3, relay)
                offset.seconds = 0
                try await pass(167, relay)

                #expect(try await ticks(store, from: start, to: clock.date) == [1, 2, 3, 4, 5])
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases, jumps)
    func aScheduleOfAProcessWithAWrongClockFiresAtEachTime(place: ProcessPlace, jump: TimeInterval) async throws {
        try await withStore(place) { store in
            offset.seconds = jump
            try await run(store, catchUp: .all) { relay, _ in try await pass(1, relay) }
            offset.seconds = 0
            let start = clock.date
            try await run(store, catchUp: .all) { relay, _ in
                try await pass(180, relay)

                #expect(try await ticks(store, from: start, to: clock.date) == [0, 1, 2])
            }
        }
    }
}

private struct Note: DurableCommand {
    static let commandName = "note"
    var text: String
}

/// Seconds by which the clock of the machine is wrong.
private final class Offset: Sendable {
    private let value = Mutex<TimeInterval>(0)
    private let seed = Atomic<UInt64>(0)

    /// Returns another seed for each process.
    func nextSeed() -> UInt64 { seed.wrappingAdd(1, ordering: .relaxed).newValue }

    var seconds: TimeInterval {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Lets the first attempt fail.
private final class Failures: Sendable {
    private let count = Atomic(0)

    func isFirst() -> Bool { count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 }
}
