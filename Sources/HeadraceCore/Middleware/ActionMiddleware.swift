//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Middleware in three steps, none of which waits: may it be handled, it will be, it was.
///
/// ```swift
/// struct ReadOnly: ActionMiddleware {
///     func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
///         message is any Reading
///     }
/// }
/// ```
///
/// All three are optional. A face whose actions take effect at once, within the call that sends them, takes this
/// middleware for them and no other; every face takes it wherever it takes ``Middleware``. Of several, the
/// one registered first is the outermost: it is asked first, and told last that the message was handled.
public protocol ActionMiddleware: Middleware {
    /// Tells whether `message` may be handled; where it may not, whoever sent it is told so by ``MessageError`` with
    /// the code ``MessageError/Code/refused``.
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool

    /// Is told that `message` is about to be handled.
    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext)

    /// Is told how the handling of `message` has ended; for each ``willExecute(_:in:)`` it is called once.
    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome)
}

extension ActionMiddleware {
    /// It may.
    public func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { true }

    /// Does nothing.
    public func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {}

    /// Does nothing.
    public func didExecute<Message: Sendable>(
        _ message: Message,
        in context: MessageContext,
        outcome: MessageOutcome
    ) {}

    /// Takes the three steps around `next`.
    ///
    /// - Throws: ``MessageError`` with the code ``MessageError/Code/refused``; what `next` throws.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard shouldExecute(message, in: context) else { throw MessageError.refused(context, by: Self.self) }
        willExecute(message, in: context)
        do {
            let output = try await next(message)
            didExecute(message, in: context, outcome: .success)
            return output
        } catch {
            didExecute(message, in: context, outcome: .failure(error))
            throw error
        }
    }
}

extension MessageError {
    /// The refusal of a message that `middleware` does not let be handled.
    package static func refused(_ context: MessageContext, by middleware: any ActionMiddleware.Type) -> MessageError {
        MessageError(
            code: .refused,
            message: """
                '\(context.typeName)' was refused by the middleware '\(middleware)'; it was not handled. \
                To fix, send it when the middleware allows it, or take the middleware out of the chain.
                """
        )
    }
}
