// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceTesting
import InMemoryTracing
import MiddlewareTestSupport
import Testing
import Tracing

@Suite struct TracingMiddlewareTests {
    private let tracer = InMemoryTracer(idGenerator: .incrementing)
    private let handling: Handling

    init() {
        handling = Handling(MessageTracingMiddleware(tracer: tracer))
    }

    @Test func aMessageIsHandledInOneSpanWithItsName() async throws {
        let context = try await handling.handle(kind: .query) { _ in try #require(MessageContext.current) }

        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(span.operationName == "MiddlewareTestSupport.Ping")
        #expect(span.kind == .internal)
        #expect(span.attribute("id") == .string(context.id.uuidString))
        #expect(span.attribute("kind") == "query")
        #expect(span.attribute("type") == "MiddlewareTestSupport.Ping")
        #expect(span.attribute("correlation") == .string(context.id.uuidString))
        #expect(span.attributes.count == 4)
        #expect(span.errors.isEmpty)
        #expect(span.status == nil)
    }

    @Test func theSpanJoinsTheCallersTraceAndIsTheParentOfNestedMessages() async throws {
        let root = tracer.startSpan("request")
        try await InstrumentationContext.$current.binding(root.context) {
            try await handling.handle { _ in
                try await handling.handle(Pong()) { _ in }
            }
        }

        let (inner, outer) = (tracer.finishedSpans[0], tracer.finishedSpans[1])
        #expect(outer.parentSpanID == root.spanID)
        #expect(inner.parentSpanID == outer.spanID)
        #expect(inner.traceID == root.traceID)
        #expect(inner.attribute("causation") == outer.attribute("id"))
        #expect(inner.attribute("correlation") == outer.attribute("id"))
    }

    @Test func otherValuesOfTheContextRemainInTheSpan() async throws {
        try await MessageContext.withPrincipal(User("ada")) {
            try await handling.handle { _ in
                #expect(MessageContext.current?.principal?.principalID == "ada")
            }
        }
    }

    @Test func aFailureIsRecordedAndThrownUnwrapped() async throws {
        await #expect(throws: Failure()) { try await handling.handle { _ in throw Failure() } }

        let span = try #require(tracer.finishedSpans.first)
        #expect(span.errors.map { $0.error as? Failure } == [Failure()])
        #expect(span.status?.code == .error)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func eachAttemptHasASpan() async throws {
        let flaky = Flaky.succeeding(on: 2)
        let clock = TestClock()
        let handling = Handling(
            RetryMiddleware(backoff: Backoff(base: .zero), clock: clock), MessageTracingMiddleware(tracer: tracer)
        )

        _ = try await handling.handle { _ in try flaky.handle() }

        let attempts = tracer.finishedSpans.map { $0.attribute("attempt") }
        #expect(attempts == [nil, .int64(2)])
    }

    @Test func theDefaultTracerIsTheTracerOfTheTask() async throws {
        let handling = Handling(MessageTracingMiddleware())

        try await withTracer(tracer) { try await handling.handle { _ in } }

        #expect(tracer.finishedSpans.count == 1)
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await handling.onMainActor.handle { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}

extension FinishedInMemorySpan {
    /// Value of the attribute `headrace.message.NAME`.
    fileprivate func attribute(_ name: String) -> SpanAttribute? {
        attributes["headrace.message.\(name)"]?.toSpanAttribute()
    }
}
