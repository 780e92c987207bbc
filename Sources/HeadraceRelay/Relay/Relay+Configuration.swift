// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Relay {
    /// The configuration of a relay; the defaults suit everyday use.
    public struct Configuration: Sendable {
        /// Number of deliveries that are handled at the same time, each of another lane; 16 by default.
        public var concurrency = 16

        /// Maximum number of deliveries of a subscription that are handled at the same time, by subscription; empty by
        /// default.
        ///
        /// A limit protects a system that a handler calls, and keeps slow handlers of one subscription from occupying all
        /// of ``concurrency``. It holds for this relay; the relays of other processes have their own. Values below 1 count
        /// as 1.
        public var subscriptionConcurrency: [String: Int] = [:]

        /// Maximum number of leased lanes, which limits the memory use of the relay; 256 by default.
        ///
        /// It includes lanes that are being handled and lanes that wait for a handler.
        public var laneLimit = 256

        /// Maximum number of deliveries of one lane that are leased at once; 16 by default.
        public var batchLimit = 16

        /// Duration of a lease unless it is renewed, which happens three times in that time; 5 seconds by default.
        ///
        /// Another process takes over the deliveries of a killed process after this time and one ``pollInterval`` at
        /// the latest.
        public var leaseDuration: Duration = .seconds(5)

        /// Interval of checks for commits of other processes; 1 second by default.
        ///
        /// Commits of this process are noticed at once.
        public var pollInterval: Duration = .seconds(1)

        /// Maximum fraction by which ``pollInterval`` is shortened at random, from 0 to 1; 0.2 by default.
        ///
        /// The jitter keeps processes from polling all at once.
        public var pollJitter = 0.2

        /// Number of attempts before a delivery becomes a dead letter, at least 1; 26 by default.
        ///
        /// With the default ``backoff``, the last attempt is 25 to 32 hours after the first, so that an outage of a day
        /// makes no dead letters. From a quarter of the attempts on, which is about a minute after the first attempt, the
        /// relay logs each failure as a warning instead of a notice.
        ///
        /// An attempt that ends with its process counts, except for the first attempt: nothing is stored before it, so
        /// a delivery that ends the process is tried once more. With a maximum of 1, the first attempt counts too, and
        /// costs a transaction.
        public var maximumAttempts = 26

        /// Back-off between attempts; by default from 200 milliseconds to 2 hours, each three times the pause before,
        /// of which jitter removes up to a fifth.
        public var backoff = Backoff(base: .milliseconds(200), factor: 3, longest: .seconds(7_200), jitter: 0.2)

        /// Time that a message waits for a process that knows it, before it becomes a dead letter; 1 day by default.
        ///
        /// While a new version of a program is being deployed, relays of the old version meet events and versions that
        /// they don't know. They leave these messages, and the messages after them in the same stream, to relays of the
        /// new version. No attempt counts. With `.zero`, an unknown message becomes a dead letter at once.
        public var unknownEventGrace: Duration = .seconds(86_400)

        /// Time for which the outcomes of commands with idempotency keys are kept; 7 days by default.
        ///
        /// The relay doesn't start if this time is shorter than ``longestRetrySchedule``.
        public var idempotencyRetention: Duration = .seconds(7 * 86_400)

        /// Time for which events are kept after delivery to all their subscriptions, or `nil`, the default, for ever.
        public var eventRetention: Duration?

        /// Interval for removing expired events and idempotency records; 10 minutes by default.
        public var pruneInterval: Duration = .seconds(600)

        /// Creates the default configuration.
        public init() {}

        /// The longest time from the first attempt to the last attempt, if each attempt fails at once.
        ///
        /// Jitter can shorten it to the fraction 1 - ``HeadraceCore/Backoff/jitter``.
        public var longestRetrySchedule: Duration {
            (1..<max(1, maximumAttempts)).reduce(.zero) { sum, attempt in
                sum + backoff.longestPause(afterAttempt: attempt)
            }
        }
    }
}
