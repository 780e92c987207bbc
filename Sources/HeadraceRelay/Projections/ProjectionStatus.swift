// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceStorage

/// The progress of one version of a projection.
public struct ProjectionStatus: Hashable, Sendable {
    /// The state of a version.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case building, active, retired, removing }

        private let kind: Kind

        /// The version has not applied the whole log yet, so queries can't read it.
        public static let building = State(kind: .building)

        /// The latest version that has applied the whole log.
        public static let active = State(kind: .active)

        /// A later version is active; programs that declare this version still read it.
        public static let retired = State(kind: .retired)

        /// The rows are being removed.
        public static let removing = State(kind: .removing)

        /// The name of the state: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The name of the projection.
    public let name: String

    /// The version.
    public let version: Int

    /// The state of the version.
    public let state: State

    /// The position in the log of the last event that was applied or passed over; 0 before the first event.
    public let position: Int64

    /// Number of positions in the log after ``position``, including those of events that the projection doesn't apply.
    public let pendingCount: Int

    /// The time at which the oldest event after ``position`` was recorded; `nil` if there is none.
    public let oldestPending: Date?

    /// Whether this program declares the version.
    public let isDeclared: Bool

    /// The reason why this process can't apply the next event; `nil` if it can, or if it hasn't tried.
    public let failure: String?

    /// Whether queries can read the version: it is active or retired.
    public var isReady: Bool { state == .active || state == .retired }

    /// Returns the age of the oldest event that was not applied at `date`; zero if there is none.
    public func lag(at date: Date) -> Duration {
        // The clock of the process that recorded the event can be ahead.
        oldestPending.map { .seconds(max(0, date.timeIntervalSince($0))) } ?? .zero
    }
}
