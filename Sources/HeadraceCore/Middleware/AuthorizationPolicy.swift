//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Says who may send messages of a type.
///
/// ```swift
/// AuthorizationPolicy(for: DeleteAccount.self, sentBy: User.self) { user, command in
///     user.isAdministrator || user.id == command.userID
/// }
/// ```
public struct AuthorizationPolicy: Sendable {
    let messageType: ObjectIdentifier

    /// `nil` where anybody may send the messages, and nobody too.
    private let isAllowed: (nonisolated(nonsending) @Sendable (any Principal, any Sendable) async throws -> Bool)?

    /// Creates the policy of `Message`: `isAllowed` says whether the principal may send this one.
    ///
    /// It runs on the actor of whoever sent the message. What it throws refuses the message, unwrapped.
    ///
    /// - Parameters:
    ///   - type: The type of the messages; others, subclasses included, are not concerned.
    ///   - principal: The type of principal that may send them at all.
    ///   - isAllowed: Whether that principal may send that message; any may, where nothing is given.
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

    /// Creates the policy of `Message`, whatever the type of its principal.
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

    /// The policy of messages that anybody may send, and nobody too: signing in, say.
    ///
    /// Where messages without a policy are refused, those that are for everyone have this one. Another policy of the
    /// same type holds beside it.
    public static func open<Message: Sendable>(for type: Message.Type) -> AuthorizationPolicy {
        AuthorizationPolicy(open: ObjectIdentifier(type))
    }

    /// Throws where `message`, in `context`, is not allowed.
    nonisolated(nonsending) func check(_ message: any Sendable, in context: MessageContext) async throws {
        guard let isAllowed else { return }
        guard let principal = context.principal else { throw AuthorizationError.unauthenticated(context) }
        guard try await isAllowed(principal, message) else { throw AuthorizationError.denied(context, to: principal) }
    }
}
