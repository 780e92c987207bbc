// SPDX-License-Identifier: Apache-2.0

/// A rule that decides which principals may send messages of a type.
///
/// ```swift
/// AuthorizationPolicy(for: DeleteAccount.self, sentBy: User.self) { user, command in
///     user.isAdministrator || user.id == command.userID
/// }
/// ```
public struct AuthorizationPolicy: Sendable {
    let messageType: ObjectIdentifier

    /// `nil` if every sender is allowed, with or without a principal.
    private let isAllowed: (nonisolated(nonsending) @Sendable (any Principal, any Sendable) async throws -> Bool)?

    /// Creates a policy for messages of one type and principals of one type.
    ///
    /// `isAllowed` runs on the actor of the sender. If it throws, the message is refused with this error.
    ///
    /// - Parameters:
    ///   - type: The type of the messages. Subclasses don't inherit the policy.
    ///   - principal: The only type of principal that may send the messages.
    ///   - isAllowed: Returns whether this principal may send this message; always true by default.
    public init<Message: Sendable, Sender: Principal>(
        for type: Message.Type,
        sentBy principal: Sender.Type,
        isAllowed: nonisolated(nonsending) @escaping @Sendable (Sender, Message) async throws -> Bool = { _, _ in true }
    ) {
        messageType = ObjectIdentifier(type)
        self.isAllowed = { principal, message in
            guard let principal = principal as? Sender, let message = message as? Message else { return false }
            return try await isAllowed(principal, message)
        }
    }

    /// Creates a policy for messages of one type and principals of any type.
    public init<Message: Sendable>(
        for type: Message.Type,
        isAllowed: nonisolated(nonsending) @escaping @Sendable (any Principal, Message) async throws -> Bool
    ) {
        messageType = ObjectIdentifier(type)
        self.isAllowed = { principal, message in
            guard let message = message as? Message else { return false }
            return try await isAllowed(principal, message)
        }
    }

    private init(open messageType: ObjectIdentifier) {
        self.messageType = messageType
        isAllowed = nil
    }

    /// Returns a policy that allows all messages of a type, with or without a principal: for example, to sign in.
    ///
    /// Use it if the middleware refuses messages without a policy. Other policies for the same type still apply.
    public static func open<Message: Sendable>(for type: Message.Type) -> AuthorizationPolicy {
        AuthorizationPolicy(open: ObjectIdentifier(type))
    }

    /// Throws an error if `message` isn't allowed in `context`.
    nonisolated(nonsending) func check(_ message: any Sendable, in context: MessageContext) async throws {
        guard let isAllowed else { return }
        guard let principal = context.principal else { throw AuthorizationError.unauthenticated(context) }
        guard try await isAllowed(principal, message) else { throw AuthorizationError.denied(context, to: principal) }
    }
}

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
