// SPDX-License-Identifier: Apache-2.0

/// The clock of the current ``SystemValues``: a `ContinuousClock`, unless a test has replaced it.
///
/// It is the default clock of a `Relay`, so a test of a complete program controls the relay without a parameter.
public struct CurrentClock: TimeSource {
    /// Creates the clock.
    public init() {}

    /// The current instant.
    public var now: ContinuousClock.Instant { SystemValues.current.clock.now }

    /// The smallest step of the clock.
    public var minimumResolution: Duration { SystemValues.current.clock.minimumResolution }

    /// Sleeps until the clock reaches `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try await SystemValues.current.clock.sleep(until: deadline, tolerance: tolerance)
    }
}
