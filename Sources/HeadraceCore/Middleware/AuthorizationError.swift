// SPDX-License-Identifier: Apache-2.0

/// An error for a message that its principal isn't allowed to send.
///
/// It contains the type of the message and the ID of the principal, but no content of the message.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct AuthorizationError: CodedError {
    /// The reason for the refusal, stable enough to branch on.
    public typealias Code = ErrorCode<AuthorizationError>

    /// The reason for the refusal.
    public let code: Code

    /// A description of the error and its fix, in one sentence each.
    public let message: String

    /// Name of the message's type, with its module.
    public let messageType: String

    /// ID of the principal; `nil` if the message had none.
    public let principalID: String?

    static func unauthenticated(_ context: MessageContext) -> AuthorizationError {
        let type = context.typeName
        return AuthorizationError(
            code: .unauthenticated,
            message: """
                '\(type)' requires a principal, and was sent without one. To fix, send it within \
                'MessageContext.withPrincipal(_:_:)'.
                """,
            messageType: type,
            principalID: nil
        )
    }

    static func denied(_ context: MessageContext, to principal: any Principal) -> AuthorizationError {
        let type = context.typeName
        return AuthorizationError(
            code: .denied,
            message: """
                The policy of '\(type)' denies it to '\(principal.principalID)'. To fix, send it on behalf of an allowed \
                principal, or change the policy.
                """,
            messageType: type,
            principalID: principal.principalID
        )
    }

    static func noPolicy(_ context: MessageContext) -> AuthorizationError {
        let type = context.typeName
        return AuthorizationError(
            code: .noPolicy,
            message: """
                '\(type)' has no policy, and messages without a policy are refused. To fix, add \
                'AuthorizationPolicy(for: \(type).self) { … }' to the authorization, or \
                '.open(for: \(type).self)' to allow every sender.
                """,
            messageType: type,
            principalID: context.principal?.principalID
        )
    }
}

extension ErrorCode<AuthorizationError> {
    /// The message has no principal.
    public static var unauthenticated: Self { Self() }

    /// A policy has denied the message.
    public static var denied: Self { Self() }

    /// The type of the message has no policy, and the middleware refuses messages without a policy.
    public static var noPolicy: Self { Self() }
}
