// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceHummingbird
import Hummingbird
import InMemoryTracing
import Testing
import Tracing

@Suite(.timeLimit(.minutes(2))) struct TracePropagationTests {
    // In a process of its own, because a process can set its tracer only once.
    @Test func theTraceOfTheSenderContinues() async {
        await #expect(processExitsWith: .success) {
            let tracer = InMemoryTracer()
            InstrumentationSystem.bootstrap(tracer)
            let router = Router()
            router.add(middleware: RequestMiddleware())
            router.get("seats") { _, _ in tracer.withSpan("route") { _ in HTTPResponse.Status.ok } }
            var headers: HTTPFields = [:]
            for (name, value) in [
                "in-memory-trace-id": "trace-7", "in-memory-span-id": "span-1",
            ] {
                headers[try #require(HTTPField.Name(name))] = value
            }

            _ = try await router.client.send(.get, "/seats", headers: headers)

            let span = try #require(tracer.finishedSpans.first)
            precondition(span.spanContext.traceID == "trace-7")
            precondition(span.spanContext.parentSpanID == "span-1")
        }
    }
}
#endif
