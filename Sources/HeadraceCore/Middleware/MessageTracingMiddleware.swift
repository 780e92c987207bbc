// SPDX-License-Identifier: Apache-2.0

import Foundation
import Instrumentation
public import Tracing

/// Handles each message in a new span, within the trace of the sender.
///
/// The name of the span is the name of the message's type, and its kind is `internal`. Its attributes are
/// `headrace.message.id`, `.kind`, `.type`, `.causation` if another message is the cause, `.correlation`, and
/// `.attempt` from the second attempt on. Failures are recorded.
public struct MessageTracingMiddleware: Middleware {
    private let tracer: (any Tracer)?

    /// Creates middleware with a tracer; `nil` for the tracer of the task or the system.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Handles `message` in a new span.
    ///
    /// - Throws: The errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let typeName = context.name
        let span: any Span = tracer.startSpan(typeName, ofKind: .internal)
        defer { span.end() }
        if span.isRecording {
            span.attributes["headrace.message.id"] = context.id.uuidString
            span.attributes["headrace.message.kind"] = context.kind.description
            span.attributes["headrace.message.type"] = typeName
            span.attributes["headrace.message.causation"] = context.causationID?.uuidString
            span.attributes["headrace.message.correlation"] = context.correlationID.uuidString
            let attempt = context.attempt
            if attempt > 1 { span.attributes["headrace.message.attempt"] = attempt }
        }

        // `withSpan` would leave the caller's actor.
        do {
            return try await InstrumentationContext.$current.binding(span.context) { try await next(message) }
        } catch {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}
