// SPDX-License-Identifier: Apache-2.0

/// Refuses messages that their principal isn't allowed to send.
///
/// ```swift
/// AuthorizationMiddleware(
///     AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self),
///     AuthorizationPolicy(for: PostEntry.self) { principal, _ in await books.isMember(principal) }
/// )
/// ```
///
/// If the type of a message has policies, the message needs a principal, and all of these policies must allow it.
/// Messages without a policy pass through by default. To refuse them instead:
///
/// ```swift
/// AuthorizationMiddleware(
///     withoutPolicy: .refuse,
///     .open(for: SignIn.self),
///     AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self)
/// )
/// ```
public struct AuthorizationMiddleware: Middleware {
    /// The treatment of messages whose type has no policy.
    public struct Fallback: Hashable, Sendable {
        private enum Kind { case pass, refuse }

        private let kind: Kind

        /// The message passes through.
        public static let pass = Fallback(kind: .pass)

        /// The message is refused, so a type without a policy is protected by default.
        public static let refuse = Fallback(kind: .refuse)
    }

    private let fallback: Fallback
    private let policies: [ObjectIdentifier: [AuthorizationPolicy]]

    /// Creates middleware that enforces `policies`.
    ///
    /// - Parameters:
    ///   - fallback: The treatment of messages whose type has no policy. It applies to all messages of the dispatcher
    ///     with this middleware, including those that handlers dispatch.
    ///   - policies: The policies, any number for each type of message.
    public init(withoutPolicy fallback: Fallback = .pass, _ policies: AuthorizationPolicy...) {
        self.init(withoutPolicy: fallback, policies)
    }

    /// Creates middleware that enforces a list of policies.
    public init(withoutPolicy fallback: Fallback = .pass, _ policies: [AuthorizationPolicy]) {
        self.fallback = fallback
        self.policies = Dictionary(grouping: policies, by: \.messageType)
    }

    /// Handles `message` if all policies of its type allow it, in order of registration.
    ///
    /// - Throws: ``AuthorizationError`` if the principal is missing, if a policy denies the message, or if the
    ///   message has no policy and the middleware refuses such messages; the errors of the policies and of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if let policies = policies[ObjectIdentifier(Message.self)] {
            for policy in policies { try await policy.check(message, in: context) }
        } else if fallback == .refuse {
            throw AuthorizationError.noPolicy(context)
        }
        return try await next(message)
    }
}
