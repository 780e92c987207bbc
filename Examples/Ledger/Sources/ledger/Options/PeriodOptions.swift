// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LedgerBooks

/// The options of commands that list transactions of a period.
struct PeriodOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The first day, as in 2026-01-31, or the first of a period, as in 2026.", valueName: "day"),
        transform: BookDate.init(firstOf:)
    )
    var begin: BookDate?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The first day after the period, as in 2027-01-01 or 2027.", valueName: "day"),
        transform: BookDate.init(firstOf:)
    )
    var end: BookDate?

    @Option(
        name: [.customLong("period"), .customShort("p")],
        help: ArgumentHelp(
            "A year, a quarter, a month, or a day: 2026, 2026Q3, 2026-09, or 2026-09-30.", valueName: "period"),
        transform: BookPeriod.init(argument:)
    )
    var named: BookPeriod?

    func validate() throws {
        if named != nil, begin != nil || end != nil {
            throw ValidationError(
                "'--period' has a begin and an end. To fix, omit '--period', or omit '--begin' and '--end'.")
        }
        guard let begin, let end, end <= begin else { return }
        throw ValidationError("The period from \(begin) to \(end) has no days. To fix, use an end after the begin.")
    }

    /// The period.
    var period: BookPeriod { named ?? BookPeriod(from: begin, before: end) }
}

extension BookPeriod {
    /// Creates the period that an argument names.
    ///
    /// - Throws: `ValidationError` if it names no year, quarter, month, or day from the year 1 to 9999.
    init(argument: String) throws {
        guard let period = BookPeriod(named: argument) else {
            throw ValidationError(
                """
                '\(Report.printable(argument))' isn't a period. To fix, write a year, a quarter, a month, or a day, as in 2026, \
                2026Q3, 2026-09, or 2026-09-30.
                """
            )
        }
        self = period
    }

    private init?(named text: String) {
        if let day = BookDate(text) {
            let next = BookDate(year: day.year, month: day.month, day: day.day + 1)
            self.init(from: day, before: next ?? BookDate(monthsAfter: 1, day))
            return
        }
        guard let parts = text.wholeMatch(of: /([0-9]{4})(?:-([0-9]{2})|[Qq]([1-4]))?/), let year = Int(parts.1) else {
            return nil
        }
        let month = parts.2.flatMap { Int($0) }
        let quarter = parts.3.flatMap { Int($0) }
        let length = month != nil ? 1 : quarter != nil ? 3 : 12
        let first = month ?? quarter.map { 3 * $0 - 2 } ?? 1
        guard let begin = BookDate(year: year, month: first, day: 1) else { return nil }
        self.init(from: begin, before: BookDate(monthsAfter: length, begin))
    }
}

extension BookDate {
    /// Creates the first day of the period that an argument names.
    ///
    /// - Throws: `ValidationError` if it names no period.
    init(firstOf argument: String) throws {
        guard let begin = try BookPeriod(argument: argument).begin else {
            throw ValidationError("'\(Report.printable(argument))' has no first day.")
        }
        self = begin
    }
}
