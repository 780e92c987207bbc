// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceProcesses
import HeadraceRelay
import HeadraceTesting
import Testing

private struct MakeReport: CQDCommand, DurableCommand {
    static let commandName = "make-report"
    let date: Date
}

private final class MakeReportHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: MakeReport) async throws {
        notes.note(command.date.formatted(.iso8601))
    }
}

@Suite(.timeLimit(.minutes(1))) struct RecurringSchedulesTests {
    private let notes = Notes()

    private func makeContainer() throws -> Container {
        let notes = notes
        let builder = ContainerBuilder()
        builder.singleton { notes }
        let store = try InMemoryStore(entities: [StoredSchedule.self])
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        builder.domain(
            store: store,
            schedules: [
                RecurringSchedule("nightly-report", try .cron("0 3 * * *", in: berlin)) { due in MakeReport(date: due) }
            ]
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [MakeReportHandler.self],
            queryHandlers: [ListSchedulesHandler.self]
        )
        try builder.validate()
        return builder.build()
    }

    @Test func aReportIsMadeEachNight() async throws {
        let container = try makeContainer()
        let schedules: Schedules = container.resolve()
        try await TestRelay.run(container.resolve()) { relay in
            try await relay.advance(by: .seconds(2 * 86_400))
            #expect(try await schedules.all().first?.firingCount == 2)
        }
        #expect(notes.all == ["2001-01-01T02:00:00Z", "2001-01-02T02:00:00Z"])
    }

    @Test func aScheduleIsListedPausedAndResumed() async throws {
        let container = try makeContainer()
        try await TestRelay.run(container.resolve()) { relay in
            try await relay.untilIdle()
            let schedules: Schedules = container.resolve()
            try await schedules.pause("nightly-report")
            for schedule in try await schedules.all() {
                print(schedule.name, schedule.isPaused, schedule.times(after: .now, count: 3))
            }
            try await schedules.resume("nightly-report")
            #expect(try await schedules.all().map(\.isPaused) == [false])
        }
    }

    @Test func aQueryListsTheSchedules() async throws {
        let builder = ContainerBuilder()
        builder.domain(store: try InMemoryStore(entities: [StoredSchedule.self]))
        builder.commandQueryDispatch().standard(queryHandlers: [ListSchedulesHandler.self])
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let schedules = try await dispatcher.dispatch(ListSchedules())
        #expect(schedules.isEmpty)
    }

    @Test func rulesAreWrittenAsInCrontab() throws {
        let nightly = try CronExpression("0 3 * * *")
        let officeHours = try CronExpression("*/15 9-17 * * MON-FRI")
        #expect(nightly.text == "0 3 * * *")
        #expect(officeHours.text == "*/15 9-17 * * MON-FRI")
    }

    @Test func aRuleIsACronExpressionOrAnInterval() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let nightly = try Recurrence.cron("0 3 * * *", in: berlin)
        let eachQuarterOfAnHour = try Recurrence.every(.seconds(15 * 60))
        #expect(nightly.description == "'0 3 * * *' in Europe/Berlin")
        #expect(eachQuarterOfAnHour.description == "every 900.0 seconds")
    }
}
