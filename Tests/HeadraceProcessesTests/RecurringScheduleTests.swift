// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Recurring schedules on a relay, from declaration to the command.
@Suite(.timeLimit(.minutes(2))) struct RecurringScheduleTests {
    private static func schedule(
        _ name: String = "hourly",
        _ seconds: Int = 3_600,
        catchUp: CatchUp = .last
    ) throws -> RecurringSchedule {
        RecurringSchedule(name, try .every(.seconds(seconds)), catchUp: catchUp) { MakeReport(name: name, due: $0) }
    }

    private let seeds = Seeds()

    private func container(_ store: any DeliveryStore, _ schedules: [RecurringSchedule]) -> Container {
        let builder = ContainerBuilder()
        builder.domain(
            store: store,
            scheduled: [ScheduledCommand(MakeReport.self)],
            schedules: schedules
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [MakeReportHandler.self],
            queryHandlers: [ListSchedulesHandler.self]
        )
        return builder.build()
    }

    /// Runs a relay with the schedules, on `clock`.
    ///
    /// Each run has other UUIDs, as another process has.
    private nonisolated(nonsending) func run(
        _ store: any DeliveryStore,
        _ schedules: [RecurringSchedule],
        _ clock: TestClock,
        _ body: nonisolated(nonsending) (TestRelay, Container) async throws -> Void
    ) async throws {
        let container = container(store, schedules)
        defer { withExtendedLifetime(container) {} }
        try await TestRelay.run(container.resolve(), clock: clock, seed: seeds.next()) { relay in
            try await body(relay, container)
        }
    }

    /// The times for which reports were made, in hours after the start of the clock, in order; each made once.
    private nonisolated(nonsending) func reports(_ store: any DeliveryStore, since start: Date) async throws -> [Double]
    {
        let reports = try await EntityContext(store).fetch(Report.self)
        #expect(reports.allSatisfy { $0.count == 1 })
        return reports.map { $0.due.timeIntervalSince(start) / 3_600 }.sorted()
    }

    /// A clock at a full hour.
    private func makeClock() -> (TestClock, Date) {
        let clock = TestClock()
        let rest = clock.date.timeIntervalSince1970.truncatingRemainder(dividingBy: 3_600)
        clock.advance(by: .milliseconds(Int(((3_600 - rest) * 1_000).rounded())))
        return (clock, clock.date)
    }

    @Test(arguments: ProcessPlace.allCases) func aScheduleFiresOnceAtEachTime(place: ProcessPlace) async throws {
        try await place.withStore([StoredSchedule.self, Report.self]) { store in
            let (clock, start) = makeClock()
            try await run(store, [try Self.schedule()], clock) { relay, container in
                try await relay.advance(by: .seconds(3_599))
                #expect(try await reports(store, since: start) == [])
                try await relay.advance(by: .seconds(1))
                #expect(try await reports(store, since: start) == [1])
                try await relay.advance(by: .seconds(3 * 3_600))

                #expect(try await reports(store, since: start) == [1, 2, 3, 4])
                let status = try #require(try await container.resolve(Schedules.self).all().first)
                #expect(status.firingCount == 4)
                #expect(status.lastDue == start.addingTimeInterval(4 * 3_600))
                #expect(status.nextDue == start.addingTimeInterval(5 * 3_600))
                #expect(status.times(after: start, count: 2) == [1, 2].map { start.addingTimeInterval($0 * 3_600) })
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases, [(CatchUp.all, [1, 2, 3, 4, 5.0]), (.last, [1, 4, 5]), (.none, [1, 5])])
    func afterARestartTheMissedTimesAreCaughtUpAsDeclared(place: ProcessPlace, policy: (CatchUp, [Double])) async throws
    {
        try await place.withStore([StoredSchedule.self, Report.self]) { store in
            let (clock, start) = makeClock()
            let schedules = [try Self.schedule(catchUp: policy.0)]
            try await run(store, schedules, clock) { relay, _ in
                try await relay.advance(by: .seconds(3_600))
            }
            clock.advance(by: .seconds(3 * 3_600 + 1_800))
            try await run(store, schedules, clock) { relay, _ in
                try await relay.untilIdle()
                try await relay.advance(by: .seconds(1_800))

                #expect(try await reports(store, since: start) == policy.1)
            }
        }
    }

    @Test(arguments: ProcessPlace.allCases) func severalRelaysFireOnceForEachTime(place: ProcessPlace) async throws {
        try await place.withStore([StoredSchedule.self, Report.self]) { store in
            let (clock, start) = makeClock()
            let schedules = [try Self.schedule()]
            try await run(store, schedules, clock) { first, _ in
                try await run(store, schedules, clock) { second, _ in
                    try await run(store, schedules, clock) { third, _ in
                        for _ in 0..<6 {
                            try await third.untilIdle()
                            try await second.untilIdle()
                            try await first.advance(by: .seconds(3_600))
                            // The relay that holds the deliveries is idle when they are handled.
                            for relay in [first, second, third, first, second, third] { try await relay.untilIdle() }
                        }
                    }
                }
            }
            #expect(try await reports(store, since: start) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test(arguments: ProcessPlace.allCases) func aPausedScheduleFiresAgainFromItsResumption(place: ProcessPlace)
        async throws
    {
        try await place.withStore([StoredSchedule.self, Report.self]) { store in
            let (clock, start) = makeClock()
            let schedules = [try Self.schedule(catchUp: .all)]
            try await run(store, schedules, clock) { relay, container in
                try await relay.advance(by: .seconds(3_600))
                let admin: Schedules = container.resolve()
                try await admin.pause("hourly")
                try await admin.pause("hourly")
                try await relay.advance(by: .seconds(2 * 3_600))
                let status = try await admin.all().first
                #expect(status?.isPaused == true)
                #expect(status?.nextDue == nil)
            }
            // It stays paused after a restart.
            try await run(store, schedules, clock) { relay, container in
                try await relay.advance(by: .seconds(3_600))
                #expect(try await reports(store, since: start) == [1])
                try await container.resolve(Schedules.self).resume("hourly")
                try await relay.advance(by: .seconds(3_600))

                #expect(try await reports(store, since: start) == [1, 5])
            }
        }
    }

    @Test func aScheduleWithOtherTimesBeginsAgainAndOneWithTheSameTimesContinues() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let (clock, start) = makeClock()
        for seconds in [7_200, 7_200, 3_600] {
            try await run(store, [try Self.schedule("report", seconds)], clock) { relay, _ in
                try await relay.advance(by: .seconds(2_400))
            }
        }
        #expect(try await reports(store, since: start) == [1, 2])
        #expect(try await store.deliveryStatistics().pendingCount == 1)
    }

    @Test func aScheduleThatTheProgramNoLongerDeclaresWaitsAndCanBeRemoved() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let (clock, start) = makeClock()
        try await run(store, [try Self.schedule()], clock) { relay, _ in try await relay.untilIdle() }
        try await run(store, [try Self.schedule("other", 3 * 3_600)], clock) { relay, container in
            try await relay.advance(by: .seconds(3_600))
            #expect(try await reports(store, since: start) == [])
            #expect(try await DeadLetters(in: store).page().isEmpty)
            let schedules: Schedules = container.resolve()
            #expect(try await schedules.all().map(\.name) == ["hourly", "other"])

            try await schedules.remove("hourly")
            #expect(try await schedules.all().map(\.name) == ["other"])
            #expect(try await store.deliveryStatistics().pendingCount == 1)
        }
    }

    /// A roll-back to a version of the program without the schedule, and another deployment.
    @Test func aScheduleContinuesAfterItsMessageHasBecomeADeadLetter() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let (clock, start) = makeClock()
        try await run(store, [try Self.schedule()], clock) { relay, _ in try await relay.untilIdle() }
        try await run(store, [], clock) { relay, _ in
            await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(30 * 3_600)) }
            let letters = try await DeadLetters(in: store).page()
            #expect(letters.count == 1)
        }

        try await run(store, [try Self.schedule()], clock) { relay, _ in
            try await relay.advance(by: .seconds(3_600))
        }

        #expect(try await reports(store, since: start) == [30, 31])
        #expect(try await DeadLetters(in: store).page().isEmpty)
    }

    @Test func aMessageThatAlwaysFailsIsRestartedOnce() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let (clock, _) = makeClock()
        let broken = RecurringSchedule("broken", try .every(.seconds(3_600))) { _ in Broken() }
        var letters: [Int64] = []
        for isRestarted in [true, true, false] {
            try await run(store, [broken], clock) { relay, _ in
                if isRestarted {
                    await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(2 * 86_400)) }
                } else {
                    try await relay.advance(by: .seconds(2 * 86_400))
                }
                letters += try await DeadLetters(in: store).page().map(\.id)
            }
        }
        // The first restart replaces the dead letter by another message. The second restart changes nothing.
        try #require(letters.count == 3)
        #expect(letters[0] != letters[1])
        #expect(letters[1] == letters[2])
    }

    @Test func resumingAScheduleThatIsNotPausedSkipsNoTime() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let (clock, start) = makeClock()
        let schedules = [try Self.schedule(catchUp: .all)]
        try await run(store, schedules, clock) { relay, _ in try await relay.untilIdle() }
        clock.advance(by: .seconds(2 * 3_600))
        try await run(store, [], clock) { relay, container in
            try await container.resolve(Schedules.self).resume("hourly")
        }

        try await run(store, schedules, clock) { relay, _ in try await relay.untilIdle() }

        #expect(try await reports(store, since: start) == [1, 2])
        #expect(try await store.deliveryStatistics().pendingCount == 1)
    }

    @Test func aChangeThatConflictsWithAFiringIsMadeAgain() async throws {
        let base = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let store = ConflictingStore(base)
        try await run(store, [try Self.schedule()], makeClock().0) { relay, container in
            try await relay.untilIdle()
            let schedules: Schedules = container.resolve()
            store.failNextCommit()
            try await schedules.pause("hourly")

            #expect(try await schedules.all().map(\.isPaused) == [true])
            #expect(try await base.deliveryStatistics().pendingCount == 0)
        }
    }

    @Test func aFiringIsOneTransactionWithItsCommandAndTheNextTime() async throws {
        let base = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let store = ConflictingStore(base)
        let (clock, start) = makeClock()
        try await run(store, [try Self.schedule()], clock) { relay, container in
            try await relay.untilIdle()
            store.failNextCommit()
            // The first attempt fails, and the message is tried again a little later.
            try await relay.advance(by: .seconds(3_600 + 600))

            #expect(store.conflicts == 1)
            #expect(try await reports(store, since: start) == [1])
            #expect(try await container.resolve(Schedules.self).all().map(\.firingCount) == [1])
        }
    }

    @Test func aQueryListsTheSchedules() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self, Report.self])
        let schedules = [try Self.schedule("b"), try Self.schedule("a", catchUp: .all)]
        try await run(store, schedules, TestClock()) { relay, container in
            try await relay.untilIdle()

            let schedules = try await container.resolve((any CommandQueryDispatcher).self).dispatch(ListSchedules())
            #expect(schedules.map(\.name) == ["a", "b"])
            #expect(schedules.map(\.catchUp) == [.all, .last])
        }
    }

    @Test func anUnknownScheduleIsAnErrorWithTheFix() async throws {
        let store = try InMemoryStore(entities: [StoredSchedule.self])
        let container = container(store, [])
        defer { withExtendedLifetime(container) {} }
        let schedules: Schedules = container.resolve()

        for change in [schedules.pause, schedules.resume, schedules.remove] {
            let error = await #expect(throws: ScheduleError.self) { try await change("nightly") }
            #expect(error?.code == .unknownSchedule)
        }
    }

    @Test func validationReportsAStoreWithoutSchedulesAndACommandThatNoRelayCarriesOut() throws {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: []), schedules: [try Self.schedule()])

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.undeclaredEntity, .notCarriedOut])
    }

    @Test func runRefusesAStoreWithoutSchedulesAndTwoSchedulesOfOneNameAndNamesWithoutAValidLength() async throws {
        let builder = ContainerBuilder()
        builder.domain(
            store: try InMemoryStore(entities: []),
            schedules: [
                try Self.schedule(), try Self.schedule("hourly", 60), try Self.schedule(""),
                try Self.schedule(String(repeating: "é", count: 101)),
            ]
        )
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let relay: Relay = container.resolve()

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .invalidDeclarations)
        #expect(error?.message.contains("'StoredSchedule.self'") == true)
        #expect(error?.message.contains("Two schedules have the name 'hourly'") == true)
        #expect(error?.message.contains("'' has 0 bytes") == true)
        #expect(error?.message.contains("has 202 bytes") == true)
    }
}

/// The seeds of the runs of one test.
private final class Seeds: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

// MARK: - Reports

/// A store whose next commit of entities conflicts with another.
private final class ConflictingStore: StoreDecorator {
    let base: any DeliveryStore
    private let state = Mutex((isFailing: false, conflicts: 0))

    var conflicts: Int { state.withLock(\.conflicts) }

    init(_ base: any DeliveryStore) { self.base = base }

    func failNextCommit() { state.withLock { $0.isFailing = true } }

    func commit(_ changes: ChangeSet) async throws {
        let fails = state.withLock { state in
            defer { state.isFailing = false }
            if state.isFailing { state.conflicts += 1 }
            return state.isFailing
        }
        if fails {
            let schedule = EntityReference(kind: StoredSchedule.entityName, key: "hourly")
            throw StoreError.versionConflict(schedule, expected: 1, stored: 2)
        }
        try await base.commit(changes)
    }
}

/// A command that can't be encoded.
private struct Broken: DurableCommand {
    static let commandName = "broken"

    init() {}

    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, EncodingError.Context(codingPath: [], debugDescription: "It is broken."))
    }
}

private final class Report: StoredEntity {
    static let entityName = "report"
    let id: String
    let due: Date
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String, due: Date) {
        self.id = id
        self.due = due
    }
}

private struct MakeReport: CQDCommand, DurableCommand {
    static let commandName = "make-report"
    let name: String
    let due: Date
}

private struct MakeReportHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: MakeReport) async throws {
        try await unitOfWork.execute { context in
            let id = "\(command.name) \(command.due.timeIntervalSince1970)"
            let report = try await context.find(Report.self, id: id) ?? Report(id, due: command.due)
            context.insert(report)
            report.count += 1
        }
    }
}
