//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message was refused because its principal may not send it.
///
/// It names the type of the message and the principal, and nothing that is in the message.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct AuthorizationError: CodedError {
    /// Why it was refused, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case unauthenticated, denied, noPolicy }

        private let kind: Kind

        /// The message has no principal.
        public static let unauthenticated = Code(kind: .unauthenticated)

        /// A policy says no.
        public static let denied = Code(kind: .denied)

        /// The type of the message has no policy, and what has none is refused.
        public static let noPolicy = Code(kind: .noPolicy)

        /// The name of the code, suitable as a metric label.
        public var description: String { kind.rawValue }
    }

    /// Why it was refused.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The name of the message's type, with its module.
    public let messageType: String

    /// The identifier of the principal, or `nil` where there was none.
    public let principalID: String?

    static func unauthenticated(_ context: MessageContext) -> AuthorizationError {
        let type = context.typeName
        return AuthorizationError(
            code: .unauthenticated,
            message: """
                '\(type)' is handled for those only whom a policy allows, and it was sent for nobody. To fix, send it \
                within 'MessageContext.withPrincipal(_:_:)'.
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
                The policy of '\(type)' does not allow it to '\(principal.principalID)'. To fix, send it for someone \
                whom it allows, or change the policy.
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
                '\(type)' has no policy, and what has none is refused. To fix, add \
                'AuthorizationPolicy(for: \(type).self) { … }' to the authorisation, or \
                '.open(for: \(type).self)' where anybody may send it.
                """,
            messageType: type,
            principalID: context.principal?.principalID
        )
    }
}
