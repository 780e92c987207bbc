//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Refuses messages that their principal may not send.
///
/// ```swift
/// AuthorizationMiddleware(
///     AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self),
///     AuthorizationPolicy(for: PostEntry.self) { principal, _ in await books.isMember(principal) }
/// )
/// ```
///
/// A message whose type has a policy needs a principal, and is refused without; of several policies all must allow it.
/// A message whose type has none passes through, or is refused, as one says:
///
/// ```swift
/// AuthorizationMiddleware(
///     withoutPolicy: .refuse,
///     .open(for: SignIn.self),
///     AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self)
/// )
/// ```
public struct AuthorizationMiddleware: Middleware {
    /// What becomes of a message whose type has no policy.
    public struct Fallback: Hashable, Sendable {
        private enum Kind { case pass, refuse }

        private let kind: Kind

        /// It passes through.
        public static let pass = Fallback(kind: .pass)

        /// It is refused, whoever sends it: a type that was forgotten is closed, not open.
        public static let refuse = Fallback(kind: .refuse)
    }

    private let fallback: Fallback
    private let policies: [ObjectIdentifier: [AuthorizationPolicy]]

    /// Creates middleware that enforces `policies`.
    ///
    /// - Parameters:
    ///   - fallback: What becomes of messages whose type has no policy; they pass unless said otherwise. The middleware
    ///     sees all messages of the dispatcher that it is registered with, and what their handlers dispatch there.
    ///   - policies: Who may send what.
    public init(withoutPolicy fallback: Fallback = .pass, _ policies: AuthorizationPolicy...) {
        self.init(withoutPolicy: fallback, policies)
    }

    /// Creates middleware that enforces `policies`, a list of them.
    public init(withoutPolicy fallback: Fallback = .pass, _ policies: [AuthorizationPolicy]) {
        self.fallback = fallback
        self.policies = Dictionary(grouping: policies, by: \.messageType)
    }

    /// Handles `message` where all policies of its type allow it, asked in the order registered.
    ///
    /// - Throws: ``AuthorizationError`` where there is no principal, a policy says no, or there is none and that is to be
    ///   refused; what a policy throws; what `next` throws.
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
