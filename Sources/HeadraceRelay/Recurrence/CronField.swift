// SPDX-License-Identifier: Apache-2.0

/// The numbers that a field of a cron expression allows, each less than 64.
struct CronSet: Hashable, Sendable {
    private(set) var bits: UInt64 = 0

    var count: Int { bits.nonzeroBitCount }

    /// The numbers in ascending order.
    var values: [Int] { (0..<64).filter { contains($0) } }

    func contains(_ value: Int) -> Bool { bits >> UInt64(value) & 1 == 1 }

    /// Whether the set has a number from 1 to `limit`.
    func contains(upTo limit: Int) -> Bool { first(from: 1).map { $0 <= limit } ?? false }

    /// Returns the first number that is not less than `value`.
    func first(from value: Int) -> Int? {
        let rest = bits >> UInt64(value)
        return rest == 0 ? nil : value + rest.trailingZeroBitCount
    }

    mutating func insert(_ value: Int) { bits |= 1 << UInt64(value) }

    mutating func remove(_ value: Int) { bits &= ~(1 << UInt64(value)) }
}

/// A field of a cron expression: its range and its names.
struct CronField {
    let name: String
    let range: ClosedRange<Int>

    /// Names for the numbers from the start of the range on; empty if there are none.
    var names: [String] = []

    static let minute = CronField(name: "minute", range: 0...59)
    static let hour = CronField(name: "hour", range: 0...23)
    static let day = CronField(name: "day of the month", range: 1...31)
    static let month = CronField(
        name: "month",
        range: 1...12,
        names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    )
    static let weekday = CronField(
        name: "day of the week",
        range: 0...7,
        names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    )

    /// Reads `field`, which is part of `expression`.
    func read(_ field: String, in expression: String) throws -> CronSet {
        var set = CronSet()
        for item in field.split(separator: ",", omittingEmptySubsequences: false) {
            for value in try values(of: String(item), in: expression) { set.insert(value) }
        }
        // Both 0 and 7 are Sunday.
        if range.upperBound == 7, set.contains(7) {
            set.remove(7)
            set.insert(0)
        }
        return set
    }

    private func values(of item: String, in expression: String) throws -> [Int] {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let base = parts[0]
        let limits: ClosedRange<Int>
        if base == "*" {
            limits = range
        } else {
            let ends = base.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard ends.count <= 2, parts.count == 1 || ends.count == 2 else {
                throw RecurrenceError.invalidField(item, self, in: expression)
            }
            let first = try number(ends[0], of: item, in: expression)
            var last = try number(ends[ends.count - 1], of: item, in: expression)
            // A range can end on Sunday.
            if range.upperBound == 7, ends.count == 2, last == 0, first > 0 { last = 7 }
            guard first <= last else { throw RecurrenceError.invalidField(item, self, in: expression) }
            limits = first...last
        }
        guard parts.count <= 2 else { throw RecurrenceError.invalidField(item, self, in: expression) }
        let step = parts.count == 2 ? Self.digits(parts[1]) : 1
        guard let step, step > 0 else { throw RecurrenceError.invalidField(item, self, in: expression) }
        return Array(stride(from: limits.lowerBound, through: limits.upperBound, by: step))
    }

    private func number(_ text: String, of item: String, in expression: String) throws -> Int {
        if let index = names.firstIndex(of: text.uppercased()) { return range.lowerBound + index }
        guard let number = Self.digits(text) else { throw RecurrenceError.invalidField(item, self, in: expression) }
        guard range.contains(number) else { throw RecurrenceError.outOfRange(number, self, in: expression) }
        return number
    }

    /// Returns the number of up to four ASCII digits; a sign is not allowed.
    private static func digits(_ text: String) -> Int? {
        guard text.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
