// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Bootstrap {
    /// The settings of a cluster.
    public struct Configuration: Sendable {
        /// The middleware around each action, outermost first; empty by default.
        public var middleware: [any Middleware] = []

        /// The observers of each action; empty by default.
        public var observers: [any MessageObserver] = []

        /// The maximum number of sends within each other, not counting the first; 100 by default.
        public var depthLimit = 100

        /// The clock for deadlines and for the durations that observers receive.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates a configuration with the default settings.
        public init() {}
    }
}
