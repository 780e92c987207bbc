//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Relay {
    /// How a relay works; the defaults are for everyday use.
    public struct Configuration: Sendable {
        /// How many deliveries are handled at the same time, each of another lane; 16 unless set.
        public var concurrency = 16

        /// How many lanes are leased at the most, handled or waiting for it: the bound of what the relay holds in memory;
        /// 256 unless set.
        public var laneLimit = 256

        /// How many deliveries of one lane are leased at once; 16 unless set.
        public var batchLimit = 16

        /// How long a lease is valid unless renewed, which happens three times in that time; 5 seconds unless set.
        ///
        /// What a killed process was handling is taken over after this and one ``pollInterval`` at the latest.
        public var leaseDuration: Duration = .seconds(5)

        /// How often to look for what other processes have committed; 1 second unless set.
        ///
        /// What this process commits is noticed at once.
        public var pollInterval: Duration = .seconds(1)

        /// Up to which part of itself the interval is shortened at random, from 0 to 1, so that processes do not all look
        /// at once; 0.2 unless set.
        public var pollJitter = 0.2

        /// How often a delivery is tried before it becomes a dead letter, from 1 on; 12 unless set.
        ///
        /// An attempt that ends with its process counts, except the first one: nothing is stored before that, so a delivery
        /// that ends the process is tried once more. With 1, the first attempt counts too, and costs a transaction.
        public var maximumAttempts = 12

        /// How long to wait between attempts; from 200 milliseconds to 5 minutes unless set.
        public var backoff = Backoff(base: .milliseconds(200), longest: .seconds(300))

        /// How long a message waits for a process that knows it, before it becomes a dead letter; 1 day unless set.
        ///
        /// While a new version of a program is being deployed, relays of the old version meet events and versions that they
        /// don't know. They leave these messages, and what follows in the same stream, to relays of the new version. No attempt
        /// counts. With `.zero`, an unknown message becomes a dead letter at once.
        public var unknownEventGrace: Duration = .seconds(86_400)

        /// How long the outcomes of commands with idempotency keys are kept; 7 days unless set.
        ///
        /// The relay does not start where this is shorter than ``longestRetrySchedule``.
        public var idempotencyRetention: Duration = .seconds(7 * 86_400)

        /// How long events are kept that were delivered to all their subscriptions; for ever unless set.
        public var eventRetention: Duration?

        /// How often to remove what is not to be kept any longer; every 10 minutes unless set.
        public var pruneInterval: Duration = .seconds(600)

        /// Creates the default configuration.
        public init() {}

        /// The time from the first attempt to the last one, where each fails at once.
        public var longestRetrySchedule: Duration {
            (1..<max(1, maximumAttempts)).reduce(.zero) { sum, attempt in
                sum + backoff.longestPause(afterAttempt: attempt)
            }
        }
    }
}
