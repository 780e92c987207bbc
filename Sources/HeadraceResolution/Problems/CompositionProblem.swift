// SPDX-License-Identifier: Apache-2.0

/// One mistake in the registrations, with the path that leads to it.
public struct CompositionProblem: Sendable, CustomStringConvertible {
    /// A kind of mistake, stable enough to branch on.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind: bounded, fit for a metric label.
        public let description: String

        /// Creates a kind.
        ///
        /// Each module has its own kinds.
        package init(_ name: StaticString) {
            description = "\(name)"
        }

        /// A dependency is not registered.
        public static let missing = Kind("missing")

        /// A type depends on itself.
        public static let cyclic = Kind("cyclic")

        /// A type is registered several times, but not as a set.
        public static let duplicate = Kind("duplicate")

        /// A shared object holds a scoped object, and so keeps an object of the outermost scope, or it holds a time-limited
        /// object after its time.
        public static let captive = Kind("captive")

        /// A registration can't be checked.
        ///
        /// Only ``ValidationLevel/strict`` reports it.
        public static let unproved = Kind("unproved")
    }

    /// The kind of mistake.
    public let kind: Kind

    /// The types that lead to the mistake.
    ///
    /// The path begins at a type that no other type needs, or at the first type of the cycle. It ends at the type with the
    /// mistake.
    public let path: [Any.Type]

    /// The mistake and how to fix it, in one sentence each.
    public let message: String

    /// The kind and the message.
    public var description: String { "\(kind): \(message)" }

    package init(_ kind: Kind, path: [Any.Type], message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }
}
