// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import Testing

/// Processes that are tested without a store.
@Suite(.timeLimit(.minutes(1))) struct TestProcessTests {
    @Test func aReactionThatThrowsChangesNothing() throws {
        var process = TestProcess(Reminder.self)
        try process.when(ReminderSet(id: 1, seconds: 60))
        let date = process.date

        #expect(throws: Refused.self) { try process.when(ReminderRefused(id: 1)) }
        #expect(process.sent(SendReminder.self) == [SendReminder(count: 0)])
        #expect(throws: Refused.self) { try process.given(ReminderSet(id: 1, seconds: 5), ReminderRefused(id: 1)) }
        #expect(process.timeouts == [.due: date.addingTimeInterval(60)])
        #expect(process.sent(SendReminder.self) == [SendReminder(count: 0)])
    }

    @Test func aTimeoutWhoseReactionThrowsIsStillSet() throws {
        var process = TestProcess(Reminder.self)
        try process.when(ReminderSet(id: 1, seconds: -1))
        let (date, timeouts) = (process.date, process.timeouts)

        #expect(throws: Refused.self) { try process.whenTimePasses(.seconds(10)) }

        #expect(process.timeouts == timeouts)
        #expect(process.date == date)
    }

    @Test func aTimeoutThatSetsItselfForTheSameDateIsAnError() throws {
        var process = TestProcess(Reminder.self)
        try process.given(ReminderSet(id: 1, seconds: 0))

        let error = #expect(throws: TestProcessError.self) { try process.whenTimePasses(.seconds(1)) }

        #expect(error?.code == .endlessTimeout)
        #expect(error?.message.contains("the last one 'due'") == true)
        #expect(process.state?.count == 0)
    }

    @Test func aTimeoutThatSetsItselfForLaterDatesFiresAnyNumberOfTimes() throws {
        var process = TestProcess(Reminder.self)
        try process.given(ReminderSet(id: 1, seconds: 1))

        try process.whenTimePasses(.seconds(10_001))

        #expect(process.state?.count == 10_001)
    }

    @Test func aNegativeTimeIsRefused() async {
        await #expect(processExitsWith: .failure) {
            var process = TestProcess(Reminder.self)
            try process.whenTimePasses(.seconds(-1))
        }
    }
}

private struct Refused: Error {}

private struct ReminderSet: DurableDomainEvent {
    static let eventName = "reminder-set"
    var id: Int
    var seconds: Int
}

private struct ReminderRefused: DurableDomainEvent {
    static let eventName = "reminder-refused"
    var id: Int
}

private struct SendReminder: DurableCommand, Equatable {
    static let commandName = "send-reminder"
    var count: Int
}

/// Sends a reminder at each interval; an interval that is negative makes the time-out fail.
private struct Reminder: DurableProcess {
    static let processName = "reminder"
    static let commands: [any DurableCommand.Type] = [SendReminder.self]

    enum Step: String, Codable { case waiting }
    enum Timeout: String, CaseIterable { case due }

    var step: Step { .waiting }
    var count = 0
    var seconds = 0

    init(key: Int) {}

    static let reactions: [ProcessReaction<Reminder>] = [
        .start(on: ReminderSet.self, by: \.id) { process, event, context in
            process.seconds = event.seconds
            context.setTimeout(.due, after: .seconds(event.seconds))
            context.send(SendReminder(count: process.count))
        },
        .on(ReminderRefused.self, by: \.id) { _, _, _ in throw Refused() },
        .onTimeout(.due) { process, context in
            if process.seconds < 0 { throw Refused() }
            process.count += 1
            context.setTimeout(.due, after: .seconds(process.seconds))
        },
    ]
}
