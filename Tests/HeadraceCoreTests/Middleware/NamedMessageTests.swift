// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MetricsTestKit
import Testing

@Suite struct NamedMessageTests {
    private struct Upload: NamedMessage {
        var bucket = "photos"
        var messageName: String { "upload to \(bucket)" }
    }

    private struct Plain: Sendable {}

    @Test func aRootMessageHasItsOwnNameInMetrics() async throws {
        let metrics = TestMetrics()

        try await withRootMessage(Upload(), middleware: [MessageMetricsMiddleware(factory: metrics)]) { _ in
            #expect(MessageContext.current?.name == "upload to photos")
            #expect(MessageContext.current?.typeName == "HeadraceCoreTests.NamedMessageTests.Upload")
        }

        let labels = [("kind", "request"), ("type", "upload to photos")]
        #expect(try metrics.expectCounter("headrace.messages.begun", labels).totalValue == 1)
    }

    @Test func messagesOfOneTypeAreCountedByTheirNames() async throws {
        let metrics = TestMetrics()
        let middleware = [MessageMetricsMiddleware(factory: metrics)]

        for bucket in ["photos", "films", "films"] {
            try await withRootMessage(Upload(bucket: bucket), middleware: middleware) { _ in }
        }

        for (bucket, count) in [("photos", 1), ("films", 2)] {
            let labels = [("kind", "request"), ("type", "upload to \(bucket)")]
            #expect(try metrics.expectCounter("headrace.messages.begun", labels).totalValue == count)
            let ended = labels + [("outcome", "success")]
            #expect(try metrics.expectCounter("headrace.messages.ended", ended).totalValue == count)
        }
    }

    @Test func allOtherMessagesHaveTheNameOfTheirType() async throws {
        try await withRootMessage(Plain()) { _ in
            #expect(MessageContext.current?.name == "HeadraceCoreTests.NamedMessageTests.Plain")
        }
    }

    @Test func onlyANamedMessageHasAResult() async throws {
        try await withRootMessage(Upload()) { _ in
            MessageContext.current?.setResult("done")
            #expect(MessageContext.current?.result == "done")
        }
        try await withRootMessage(Plain()) { _ in
            MessageContext.current?.setResult("done")
            #expect(MessageContext.current?.result == nil)
        }
    }

    @Test func aNamedMessageInheritsThePrincipalAndCausesMessages() async throws {
        struct User: Principal {
            let principalID = "ada"
        }

        try await MessageContext.withPrincipal(User()) {
            try await withRootMessage(Upload()) { _ in
                let upload = MessageContext.current
                #expect(upload?.principal?.principalID == "ada")
                #expect(MessageContext(kind: .command, type: Plain.self).causationID == upload?.id)
            }
        }
    }
}
