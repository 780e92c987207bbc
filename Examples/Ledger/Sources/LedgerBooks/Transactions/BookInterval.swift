// SPDX-License-Identifier: Apache-2.0

/// A unit of the calendar, for reports with a column for each.
public enum BookInterval: String, Sendable, Hashable, CaseIterable {
    /// A month.
    case month

    /// Three months, of which the first is January, April, July, or October.
    case quarter

    /// A year.
    case year

    private var monthCount: Int {
        switch self {
        case .month: 1
        case .quarter: 3
        case .year: 12
        }
    }

    /// Returns the days of the interval that contains `date`.
    public func period(containing date: BookDate) -> BookPeriod {
        let month = (date.month - 1) / monthCount * monthCount + 1
        let begin = BookDate(year: date.year, month: month, day: 1)
        return BookPeriod(from: begin, before: begin.flatMap { BookDate(monthsAfter: monthCount, $0) })
    }

    /// Returns the name of the interval that contains `date`: `2026-09`, `2026Q3`, or `2026`.
    public func name(containing date: BookDate) -> String {
        let text = date.description
        return switch self {
        case .month: String(text.prefix(7))
        case .quarter: "\(text.prefix(4))Q\((date.month + 2) / 3)"
        case .year: String(text.prefix(4))
        }
    }
}

extension BookDate {
    /// Creates the first day of the month that is `count` months after the month of `date`; `nil` after the year 9999.
    public init?(monthsAfter count: Int, _ date: BookDate) {
        let months = date.month - 1 + count
        self.init(year: date.year + months / 12, month: months % 12 + 1, day: 1)
    }
}
