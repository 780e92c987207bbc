// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Projections {
    /// The configuration of projections; the defaults suit everyday use.
    public struct Configuration: Sendable {
        /// Maximum number of events that are applied in one transaction; 500 by default, at least 1.
        public var batchLimit = 500

        /// Time for which other processes leave a projection to the process that has applied events last; 5 seconds by default.
        ///
        /// Another process takes over after the end of a killed process in this time and one ``pollInterval`` at the latest.
        public var leaseDuration: Duration = .seconds(5)

        /// Interval of checks for commits of other processes; 1 second by default.
        ///
        /// Commits of this process are noticed at once.
        public var pollInterval: Duration = .seconds(1)

        /// Maximum fraction by which ``pollInterval`` is shortened at random, from 0 to 1; 0.2 by default.
        public var pollJitter = 0.2

        /// Back-off after a failure; by default from 200 milliseconds to 1 minute, each twice the pause before.
        public var backoff = Backoff(base: .milliseconds(200), factor: 2, longest: .seconds(60), jitter: 0.2)

        /// Time for which the rows of an earlier version are kept after the last process that declares it has ended; 1 hour by
        /// default.
        ///
        /// In this time, a program can return to the earlier version without building it again. The active version is kept
        /// for ever.
        public var versionRetention: Duration = .seconds(3_600)

        /// Creates the default configuration.
        public init() {}
    }
}
