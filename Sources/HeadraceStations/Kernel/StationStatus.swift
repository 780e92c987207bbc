//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What keeps an action from the direct path; zero where nothing does.
@usableFromInline
struct StationStatus: OptionSet {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An action is being reduced, or its effects are being started: others wait.
    @inlinable static var isBusy: StationStatus { StationStatus(rawValue: 1) }

    /// Middleware, observers or taps want to know of it.
    @inlinable static var isWatched: StationStatus { StationStatus(rawValue: 2) }

    /// The state was read by what may observe it.
    @inlinable static var isRead: StationStatus { StationStatus(rawValue: 4) }

    /// Actions wait.
    @inlinable static var hasPending: StationStatus { StationStatus(rawValue: 8) }

    /// Children have effects under way.
    @inlinable static var hasChildEffects: StationStatus { StationStatus(rawValue: 16) }
}
