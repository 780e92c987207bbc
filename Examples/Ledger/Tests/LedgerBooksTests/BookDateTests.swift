// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerBooks
import Testing

@Suite struct BookDateTests {
    @Test(arguments: ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2023-04-30"])
    func validDatesRoundTrip(text: String) {
        #expect(BookDate(text)?.description == text)
    }

    @Test(arguments: [
        "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-10", "2024-01-00", "0000-01-01",
        "2024-1-01", "2024/01/01", "24-01-01", "2024-01-011", "", "２０２４-01-01", "2024-0a-01",
    ])
    func otherTextIsNoDate(text: String) {
        #expect(BookDate(text) == nil)
    }

    @Test func earlierDaysComeFirst() {
        let days = ["2024-03-01", "2023-12-31", "2024-02-29"].compactMap(BookDate.init)

        #expect(days.sorted().map(\.description) == ["2023-12-31", "2024-02-29", "2024-03-01"])
    }

    @Test func theEncodedFormIsTheText() throws {
        let date = try #require(BookDate(year: 2024, month: 2, day: 29))

        let encoded = try JSONEncoder().encode([date])

        #expect(String(decoding: encoded, as: UTF8.self) == #"["2024-02-29"]"#)
        #expect(try JSONDecoder().decode([BookDate].self, from: encoded) == [date])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([BookDate].self, from: Data(#"["2023-02-29"]"#.utf8))
        }
    }

    @Test(arguments: BookInterval.allCases) func eachDayIsInOneIntervalAndIntervalsHaveNoGaps(interval: BookInterval)
        throws
    {
        var begin = try #require(BookDate("1999-01-01"))
        for day in Self.days(from: 1999, through: 2004) {
            let period = interval.period(containing: day)
            #expect(period.contains(day))
            let first = try #require(period.begin)
            if first != begin {
                #expect(first == interval.period(containing: begin).end)
                #expect(interval.name(containing: first) != interval.name(containing: begin))
                begin = first
            }
            #expect(interval.name(containing: day) == interval.name(containing: begin))
        }
        #expect(interval.period(containing: try #require(BookDate("9999-12-31"))).end == nil)
    }

    private static func days(from first: Int, through last: Int) -> [BookDate] {
        (first...last).flatMap { year in
            (1...12).flatMap { month in (1...31).compactMap { BookDate(year: year, month: month, day: $0) } }
        }
    }
}
