// SPDX-License-Identifier: Apache-2.0

/// A clock that shares the instants of `ContinuousClock`, so that deadlines are comparable between clocks.
///
/// `ContinuousClock` conforms, and so does `TestClock` of `HeadraceTesting`. A test controls the time of a `TestClock`.
public protocol TimeSource: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: TimeSource {}
