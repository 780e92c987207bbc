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
