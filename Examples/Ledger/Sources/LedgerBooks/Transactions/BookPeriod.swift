// SPDX-License-Identifier: Apache-2.0

/// A range of days, possibly without a begin or an end.
public struct BookPeriod: Sendable, Hashable, Codable {
    /// The first day; `nil` if there is none.
    public var begin: BookDate?

    /// The first day after the period; `nil` if the period has no end.
    public var end: BookDate?

    /// Creates a period.
    ///
    /// The default is all days. If `end` isn't after `begin`, the period has no days.
    public init(from begin: BookDate? = nil, before end: BookDate? = nil) {
        self.begin = begin
        self.end = end
    }

    /// Whether the period has no begin and no end.
    public var isUnlimited: Bool { begin == nil && end == nil }

    /// Whether `date` is a day of the period.
    public func contains(_ date: BookDate) -> Bool {
        begin.map { date >= $0 } ?? true && end.map { date < $0 } ?? true
    }
}
