// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The reason why a type can't be resolved.
///
/// ``DependencyResolver/require(_:)`` throws it. ``DependencyResolver/resolve(_:)`` stops the program with the same
/// message. Branch on ``code``, log ``message``. Later releases may add codes.
public struct ResolutionError: CodedError {
    /// A reason, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case missing, cyclic, notOnMainActor, notBootstrapped, containerReleased }

        private let kind: Kind

        /// The type, or a dependency of it, is not registered.
        public static let missing = Code(kind: .missing)

        /// The type, or a dependency of it, depends on itself.
        public static let cyclic = Code(kind: .cyclic)

        /// The type, or a dependency of it, is made on the main actor and was resolved elsewhere.
        public static let notOnMainActor = Code(kind: .notOnMainActor)

        /// The type, or a dependency of it, is created by `Container.bootstrap(clock:progress:)`, which hasn't created it.
        public static let notBootstrapped = Code(kind: .notBootstrapped)

        /// The container of the scope no longer exists.
        public static let containerReleased = Code(kind: .containerReleased)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The reason.
    public let code: Code

    /// The mistake and the line that fixes it.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
