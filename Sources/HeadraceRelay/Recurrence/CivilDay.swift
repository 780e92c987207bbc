// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, without a time zone.
///
/// The conversions are those of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms":
/// <https://howardhinnant.github.io/date_algorithms.html>.
struct CivilDay {
    /// Number of days since 1970-01-01.
    let number: Int

    let year: Int

    /// Month, from 1 to 12.
    let month: Int

    /// Day of the month, from 1 to 31.
    let day: Int

    init(number: Int) {
        self.number = number
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the day that contains a second of the local clock, counted from 1970-01-01 00:00 on that clock.
    init(containing second: Int) {
        self.init(number: (second >= 0 ? second : second - 86_399) / 86_400)
    }

    /// The first second on the local clock, counted from 1970-01-01 00:00 on that clock.
    var start: Int { number * 86_400 }

    /// Day of the week; 0 is Sunday.
    var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    var firstOfNextMonth: CivilDay { advanced(by: Self.length(month, of: year) - day + 1) }

    func advanced(by days: Int) -> CivilDay { CivilDay(number: number + days) }

    /// Number of days in `month` of a leap year.
    static func longest(_ month: Int) -> Int { month == 2 ? 29 : [4, 6, 9, 11].contains(month) ? 30 : 31 }

    private static func length(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 && !isLeap ? 28 : longest(month)
    }
}
