// SPDX-License-Identifier: Apache-2.0

/// Refuses invalid messages.
///
/// Messages that aren't ``Validatable`` pass through.
public struct ValidationMiddleware: Middleware {
    /// Creates middleware that validates messages.
    public init() {}

    /// Handles `message` if it is valid.
    ///
    /// - Throws: ``MessageValidationError`` with all failures; the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if let validatable = message as? any Validatable {
            var validation = Validation()
            validatable.validate(&validation)
            if !validation.failures.isEmpty {
                throw MessageValidationError(messageType: context.typeName, failures: validation.failures)
            }
        }
        return try await next(message)
    }
}
