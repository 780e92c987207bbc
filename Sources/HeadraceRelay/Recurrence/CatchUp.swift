// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// The times at which a schedule still fires if no relay was running when they were due.
public struct CatchUp: Hashable, Sendable, Codable {
    private enum Choice: String, Codable { case all, last, recent }

    private let choice: Choice

    /// Milliseconds that a firing may be late.
    private let limit: Int64?

    /// All missed times, in order.
    public static let all = CatchUp(choice: .all, limit: nil)

    /// The last missed time, however late it is; the default.
    public static let last = CatchUp(choice: .last, limit: nil)

    /// No missed time: the schedule fires only if it is at most one minute late, the same as `recent(.seconds(60))`.
    public static let none = recent(.seconds(60))

    /// The last missed time, if it is at most `limit` late.
    ///
    /// A firing is always a little late, so the limit should be longer than the poll interval of the relay.
    public static func recent(_ limit: Duration) -> CatchUp {
        CatchUp(choice: .recent, limit: max(0, Int64(min(limit / .milliseconds(1), 0x1p53))))
    }

    /// Returns the time to fire for, if any, and the time that is due next.
    ///
    /// - Parameters:
    ///   - due: The earliest time that hasn't fired; not later than `now`.
    ///   - now: The current time.
    ///   - recurrence: The times of the schedule.
    /// - Returns: Both times; `nil` if there is none.
    func decision(due: Date, now: Date, _ recurrence: Recurrence) -> (fires: Date?, next: Date?) {
        if choice == .all { return (due, recurrence.next(after: due)) }
        let last = recurrence.last(from: due, through: now)
        let isTooLate = limit.map { now.milliseconds - last.milliseconds > $0 } ?? false
        return (isTooLate ? nil : last, recurrence.next(after: last))
    }
}
