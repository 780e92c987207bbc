// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The reason why a type can't be resolved.
///
/// ``DependencyResolver/require(_:)`` throws it. ``DependencyResolver/resolve(_:)`` stops the program with the same
/// message. Branch on ``code``, log ``message``. Later releases may add codes.
public struct ResolutionError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<ResolutionError>

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

extension ErrorCode<ResolutionError> {
    /// The type, or a dependency of it, is not registered.
    public static var missing: Self { Self() }

    /// The type, or a dependency of it, depends on itself.
    public static var cyclic: Self { Self() }

    /// The type, or a dependency of it, is made on the main actor and was resolved elsewhere.
    public static var notOnMainActor: Self { Self() }

    /// The type, or a dependency of it, is created by `Container.bootstrap(clock:progress:)`, which hasn't created it.
    public static var notBootstrapped: Self { Self() }

    /// The container of the scope no longer exists.
    public static var containerReleased: Self { Self() }
}
