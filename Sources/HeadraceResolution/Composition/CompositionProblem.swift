//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One thing that keeps a container from making what is registered.
public struct CompositionProblem: Sendable, CustomStringConvertible {
    /// What is wrong, stable enough to branch on.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind: bounded, fit for a metric label.
        public let description: String

        /// Names a kind; each module has its own.
        package init(_ name: StaticString) {
            description = "\(name)"
        }

        /// Something is needed that is not registered.
        public static let missing = Kind("missing")

        /// Something needs itself.
        public static let cyclic = Kind("cyclic")

        /// One type is registered several times, which are no set.
        public static let duplicate = Kind("duplicate")

        /// A singleton holds something scoped, and with it an object of the outermost scope for ever.
        public static let captive = Kind("captive")

        /// Nothing proves that something can be made; only ``ValidationLevel/strict`` reports it.
        public static let unproved = Kind("unproved")
    }

    /// What is wrong.
    public let kind: Kind

    /// The types from one that nobody needs, or that begins the cycle, to the one that is the trouble.
    public let path: [Any.Type]

    /// What is wrong and how to fix it, in one sentence each.
    public let message: String

    /// The kind and the message.
    public var description: String { "\(kind): \(message)" }

    package init(_ kind: Kind, path: [Any.Type], message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }
}
