// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error raised by a cluster itself, never by a service.
///
/// Branch on ``code-swift.property``, log ``message``. New codes may appear in minor releases.
public struct ServiceError: CodedError {
    /// The kind of error; stable, so callers can branch on it.
    public typealias Code = ErrorCode<ServiceError>

    /// The kind of error.
    public let code: Code

    /// The cause and the fix, in one sentence each.
    public let message: String

    static func modelInUse(_ model: Any.Type) -> ServiceError {
        ServiceError(
            code: .modelInUse,
            message: """
                A mutation of '\(String(naming: model))' sent an action that changes the same model, and would wait for itself. \
                To fix, change the model in the first handler, send the action from '.post', or make the model an actor.
                """
        )
    }

    static func released(_ action: Any.Type) -> ServiceError {
        ServiceError(
            code: .released,
            message: """
                '\(String(naming: action))' was sent to a cluster that was released. \
                To fix, keep a reference to the cluster as long as its services are used.
                """
        )
    }

    static func tooDeep(_ action: Any.Type, limit: Int) -> ServiceError {
        ServiceError(
            code: .tooDeep,
            message: """
                '\(String(naming: action))' was sent within \(limit) nested sends. \
                To fix, look for handlers that send actions to each other, or raise 'depthLimit'.
                """
        )
    }
}

extension ErrorCode<ServiceError> {
    /// A mutation of a value model sent an action that changes the same model.
    public static var modelInUse: Self { Self() }

    /// The cluster no longer exists.
    public static var released: Self { Self() }

    /// Sends were nested more deeply than ``HeadraceServices/Bootstrap/Configuration/depthLimit`` allows.
    public static var tooDeep: Self { Self() }
}
