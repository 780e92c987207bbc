//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Bootstrap {
    /// How a cluster handles actions.
    public struct Configuration: Sendable {
        /// What wraps each action, the outermost first; none unless stated.
        public var middleware: [any Middleware] = []

        /// Who is told of each action; nobody unless stated.
        public var observers: [any MessageObserver] = []

        /// How many actions may be sent within each other, not counting the first; 100 unless stated.
        public var depthLimit = 100

        /// What tells whether a deadline has passed, and how long an action took.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates a configuration that leaves everything as it is.
        public init() {}
    }
}
