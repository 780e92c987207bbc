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
/// A message whose type has none passes through.
public struct AuthorizationMiddleware: Middleware {
    private let policies: [ObjectIdentifier: [AuthorizationPolicy]]

    /// Creates middleware that enforces `policies`.
    public init(_ policies: AuthorizationPolicy...) {
        self.init(policies)
    }

    /// Creates middleware that enforces `policies`.
    public init(_ policies: [AuthorizationPolicy]) {
        self.policies = Dictionary(grouping: policies, by: \.messageType)
    }

    /// Handles `message` where all policies of its type allow it, asked in the order registered.
    ///
    /// - Throws: ``AuthorizationError`` where there is no principal or a policy says no; what a policy throws; what
    ///   `next` throws.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if let policies = policies[ObjectIdentifier(Message.self)] {
            guard let principal = context.principal else { throw AuthorizationError.unauthenticated(context) }
            for policy in policies where try await !policy.allows(message, for: principal) {
                throw AuthorizationError.denied(context, to: principal)
            }
        }
        return try await next(message)
    }
}
