// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The clock of a time zone, in full seconds.
///
/// A local second counts from 1970-01-01 00:00 on the local clock. An instant counts from 1970 in UTC.
struct LocalClock {
    let zone: TimeZone

    /// The instants, in seconds, for which times are computed: the years 1 to 9999.
    static let range: ClosedRange<Double> = -62_135_596_800...253_402_300_799

    private static let day = 86_400

    /// Seconds that the local clock is ahead of UTC at `instant`.
    func offset(at instant: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    }

    /// The least and the greatest offset on `day` and near it; equal if the clock doesn't change.
    func offsets(near day: CivilDay) -> ClosedRange<Int> {
        // Zones are less than a day ahead of UTC or behind, so the instants of the day are between these.
        let offsets = (-1...2).map { offset(at: day.start + $0 * Self.day) }
        return (offsets.min() ?? 0)...(offsets.max() ?? 0)
    }

    /// Returns the instants of a local second in ascending order.
    ///
    /// If `isContinuous`, the result has one instant, none in a gap, and two in a repeated hour. Otherwise it has one: in a gap
    /// the first instant after it, in a repeated hour the first of both.
    func instants(ofLocal local: Int, isContinuous: Bool) -> [Int] {
        let (before, after) = (local - Self.day, local + Self.day)
        let (earlier, later) = (offset(at: before), offset(at: after))
        let found = Set([earlier, later]).map { local - $0 }.filter { $0 + offset(at: $0) == local }.sorted()
        if isContinuous { return found }
        return [found.first ?? firstChange(after: before, before: after)]
    }

    /// Returns the first instant in a range with another offset than its start.
    private func firstChange(after start: Int, before end: Int) -> Int {
        let old = offset(at: start)
        var (same, other) = (start, end)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if offset(at: middle) == old { same = middle } else { other = middle }
        }
        return other
    }
}
