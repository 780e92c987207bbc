// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import Testing

@testable import HeadraceProcesses

/// Intervals, missed times, and the stored forms of schedules.
@Suite(.timeLimit(.minutes(1))) struct RecurrenceTests {
    @Test func theLastTimeInARangeIsThatOfAScan() throws {
        let rules = [
            try Recurrence.cron("*/7 1-3,20 * * *", in: try #require(TimeZone(identifier: "Europe/Berlin"))),
            try .cron("30 2 * * SUN", in: try #require(TimeZone(identifier: "America/New_York"))),
            try .every(.milliseconds(1_234_567)),
            try .cron("* * 1 1 *", in: .gmt),
        ]
        let start = try date("2024-03-01T00:00:00Z")
        for rule in rules {
            let times = rule.times(after: start, count: 400)
            for index in stride(from: 0, to: times.count - 1, by: 13) {
                let gap = times[index + 1].timeIntervalSince(times[index])
                for now in [
                    times[index], times[index].addingTimeInterval(gap / 2), times[index + 1].addingTimeInterval(-0.001),
                ] {
                    let (fires, next) = CatchUp.last.decision(due: times[0], now: now, rule)
                    #expect(fires == times[index])
                    #expect(next == times[index + 1])
                }
            }
        }
    }

    @Test func catchingUpFiresForAllOrForTheLastOrOnlyForARecentTime() throws {
        let hourly = try Recurrence.every(.seconds(3_600))
        func hour(_ count: Double) -> Date { Date(timeIntervalSince1970: count * 3_600) }

        func decision(_ catchUp: CatchUp, at now: Double) -> [Double?] {
            let (fires, next) = catchUp.decision(due: hour(1), now: hour(now), hourly)
            return [fires, next].map { $0.map { $0.timeIntervalSince1970 / 3_600 } }
        }

        #expect(decision(.all, at: 3.5) == [1, 2])
        #expect(decision(.last, at: 3.5) == [3, 4])
        #expect(decision(.last, at: 1) == [1, 2])
        #expect(decision(.none, at: 3.5) == [nil, 4])
        #expect(decision(.none, at: 3.01) == [3, 4])
        #expect(decision(.none, at: 1) == [1, 2])
        #expect(decision(.recent(.seconds(1_800)), at: 3.5) == [3, 4])
        #expect(decision(.recent(.seconds(1_799)), at: 3.5) == [nil, 4])
    }

    @Test func anIntervalCountsFromItsStart() throws {
        let start = Date(timeIntervalSince1970: 100)
        let rule = try Recurrence.every(.seconds(60), from: start)

        #expect(
            rule.times(after: .distantPast.addingTimeInterval(10 * 86_400), count: 2) == [
                start, start.addingTimeInterval(60),
            ])
        #expect(rule.next(after: start) == start.addingTimeInterval(60))
        #expect(rule.next(after: start.addingTimeInterval(59.9999)) == start.addingTimeInterval(60))
    }

    /// Milliseconds that a `Date` can't represent exactly.
    @Test(arguments: [1_100, 1_001, 2_333] as [Int64])
    func anIntervalOfMillisecondsHasNoTimeTwice(milliseconds: Int64) throws {
        let rule = try Recurrence.every(.milliseconds(milliseconds))
        let start = 1_700_000_000_000 / milliseconds * milliseconds

        let times = rule.times(after: Date(milliseconds: start), count: 1_000)

        #expect(times == (1...1_000).map { Date(milliseconds: start + Int64($0) * milliseconds) })
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(999), .seconds(3_155_760_001)])
    func anIntervalThatIsTooShortOrTooLongIsRefused(interval: Duration) {
        let error = #expect(throws: RecurrenceError.self) { try Recurrence.every(interval) }

        #expect(error?.code == .invalidInterval)
    }

    @Test func aRuleSurvivesItsEncoding() throws {
        let rules = [
            try Recurrence.cron(" 0  3 * * MON ", in: try #require(TimeZone(identifier: "Europe/Berlin"))),
            try .cron("@daily", in: try #require(TimeZone(secondsFromGMT: 5_400))),
            try .every(.milliseconds(1_500), from: Date(timeIntervalSince1970: 1.5)),
        ]
        for rule in rules {
            let json = try JSONEncoder().encode(rule)
            let decoded = try JSONDecoder().decode(Recurrence.self, from: json)
            #expect(decoded == rule)
            let start = try date("2024-03-30T00:00:00Z")
            #expect(decoded.times(after: start, count: 5) == rule.times(after: start, count: 5))
        }
    }

    /// Stored rules must stay readable.
    @Test func storedRulesOfTodayStayReadable() throws {
        let cron = #"{"cron":"0 3 * * MON","timeZone":"Europe/Berlin"}"#
        let interval = #"{"interval":1500,"start":100}"#
        let decoder = JSONDecoder()

        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(try decoder.decode(Recurrence.self, from: Data(cron.utf8)) == .cron("0 3 * * MON", in: berlin))
        #expect(
            try decoder.decode(Recurrence.self, from: Data(interval.utf8))
                == .every(.milliseconds(1_500), from: Date(timeIntervalSince1970: 0.1))
        )
        #expect(throws: DecodingError.self) {
            try decoder.decode(Recurrence.self, from: Data(#"{"cron":"0 3 * * *","timeZone":"Mars/Base"}"#.utf8))
        }
    }

    /// Stored schedules must stay readable, also by other versions of the program.
    @Test func storedSchedulesOfTodayStayReadable() throws {
        let json = """
            {"catchUp":{"choice":"recent","limit":60000},"firingCount":1,"id":"nightly","isPaused":false,"lastDue":3600,\
            "nextDue":7200,"recurrence":{"cron":"0 3 * * *","timeZone":"Europe/Berlin"},"restartedDue":7200,\
            "turn":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}
            """
        let document = StoredDocument(
            reference: EntityReference(kind: "headrace.schedule", key: "nightly"),
            version: 1,
            schemaVersion: StoredSchedule.schemaVersion,
            json: Data(json.utf8)
        )

        let stored: StoredSchedule = try DocumentCoding.decode(document)

        #expect(stored.catchUp == .none)
        #expect(stored.nextDue == Date(timeIntervalSinceReferenceDate: 7_200))
        let encoded = String(decoding: try DocumentCoding.encode(stored), as: UTF8.self)
        #expect(encoded == json)
    }

    @Test func storedMessagesOfTodayStayReadable() throws {
        let json = #"{"schedule":"nightly","turn":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}"#

        let message = try FireSchedule.decode(Data(json.utf8), version: 1)

        #expect(FireSchedule.name(of: message.schedule) == "headrace.schedule.nightly")
        #expect(String(decoding: try DocumentCoding.encode(message), as: UTF8.self) == json)
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
}
