// SPDX-License-Identifier: Apache-2.0

/// The reasons why an action can't take the direct path; empty if it can.
@usableFromInline
struct StationStatus: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An action is being reduced, or its effects are being started.
    ///
    /// Other actions wait.
    @inlinable static var isBusy: StationStatus { StationStatus(rawValue: 1) }

    /// Middleware or observers must be called for each action.
    @inlinable static var isInstrumented: StationStatus { StationStatus(rawValue: 2) }

    /// The state was read, possibly by an observer that must be notified of the next change.
    @inlinable static var isRead: StationStatus { StationStatus(rawValue: 4) }

    /// Actions are waiting.
    @inlinable static var hasPending: StationStatus { StationStatus(rawValue: 8) }

    /// The state can declare subscriptions.
    @inlinable static var hasSubscriptions: StationStatus { StationStatus(rawValue: 32) }

    /// Effects of children are running.
    @inlinable static var hasChildEffects: StationStatus { StationStatus(rawValue: 16) }
}
