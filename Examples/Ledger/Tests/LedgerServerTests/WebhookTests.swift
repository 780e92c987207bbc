// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import HeadraceTesting
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    #if Webhooks
    @Suite(.timeLimit(.minutes(2))) struct WebhookTests {
        private let clock = TestClock()
        private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

        @Test func eachTransactionIsSentUnderOneKeyUntilItIsAccepted() async throws {
            let receiver = Receiver()
            let folder = try TestFolder()
            try await receiver.serving { url in
                try await TestServer.with(in: folder) {
                    $0.webhook = url
                } _: { server in
                    var transactions: Set<String> = []
                    for _ in 1...5 {
                        transactions.insert(
                            try await server.transfer("1 EUR").json(PostedResponse.self).transaction.uuidString)
                    }
                    await server.deliveries.waits(for: 5, to: "webhook")

                    let requests = receiver.all
                    let keys = Dictionary(grouping: requests, by: \.key)
                    #expect(keys.count == 5)
                    #expect(keys.values.allSatisfy { $0.count == 2 && Set($0.map(\.body)).count == 1 })
                    let told = requests.compactMap { request in transactions.first { request.body.contains($0) } }
                    #expect(Set(told) == transactions)
                    #expect(server.deliveries.failureCount == 5)
                }
            }
        }

        @Test(arguments: [200, 204, 299]) func aStatusOfSuccessAcceptsAnEvent(status: Int) async throws {
            let receiver = Receiver { _, _ in Response(status: .init(code: status)) }
            let id = UUID()

            try await receiver.serving { url in
                try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data("{}".utf8), id: id)
            }

            #expect(receiver.all.map(\.key) == [id.uuidString])
            #expect(receiver.all.map(\.body) == ["{}"])
            #expect(receiver.all.map(\.contentType) == ["application/json; charset=utf-8"])
        }

        @Test(arguments: [300, 304, 400, 409, 429, 500, 503])
        func anyOtherStatusRefusesAnEvent(status: Int) async throws {
            let receiver = Receiver { _, _ in Response(status: .init(code: status)) }

            let error = try await receiver.serving { url in
                await #expect(throws: WebhookError.self) {
                    try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID())
                }
            }

            #expect(error?.code == .refused)
            #expect(error?.message.contains("responded with the status \(status)") == true)
        }

        @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectionIsNotFollowed(status: Int) async throws {
            let receiver = Receiver { _, _ in
                Response(status: .init(code: status), headers: [.location: "/hook"])
            }

            let error = try await receiver.serving { url in
                await #expect(throws: WebhookError.self) {
                    try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID())
                }
            }

            #expect(error?.code == .refused)
            #expect(receiver.all.count == 1)
        }

        @Test func theUserOfTheURLIsSentAndNotShown() async throws {
            let receiver = Receiver { _, _ in Response(status: .forbidden) }

            let error = try await receiver.serving { url in
                var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
                components?.user = "books"
                components?.password = "s/e:cret"
                let url = try #require(components?.url)
                return await #expect(throws: WebhookError.self) {
                    try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID())
                }
            }

            let credentials = Data("books:s/e:cret".utf8).base64EncodedString()
            #expect(receiver.all.map(\.authorization) == ["Basic \(credentials)"])
            #expect(error?.message.contains("books") == false)
            #expect(error?.message.contains("cret") == false)
        }

        @Test func anEndlessResponseIsCutOff() async throws {
            let receiver = Receiver { _, _ in
                let body = ResponseBody { writer in
                    while true { try await writer.write(ByteBuffer(repeating: 0, count: 1 << 16)) }
                }
                return Response(status: .ok, body: body)
            }

            try await receiver.serving { url in
                try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID())
            }

            #expect(receiver.all.count == 1)
        }

        @Test func aResponseWithoutAnEndAcceptsAnEvent() async throws {
            let receiver = Receiver { _, _ in
                let body = ResponseBody(contentLength: 10) { writer in
                    try await writer.write(ByteBuffer(string: "1"))
                    // The end of the receiver cancels this task.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                }
                return Response(status: .ok, body: body)
            }

            try await receiver.serving { url in
                let webhook = HTTPWebhook(url, clock: clock, logger: quiet)
                // More than the connections to one receiver.
                try await withThrowingTaskGroup { group in
                    for _ in 1...20 { group.addTask { try await webhook.send(Data(), id: UUID()) } }
                    let advancing = Task {
                        while !Task.isCancelled {
                            await clock.waitForSleepers(1)
                            clock.advance(by: .seconds(1))
                        }
                    }
                    try await group.waitForAll()
                    advancing.cancel()
                }
            }

            #expect(receiver.all.count == 20)
        }

        @Test func cancellationEndsARequest() async throws {
            let receiver = Receiver { _, _ in
                // The end of the receiver cancels this task.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return Response(status: .ok)
            }

            try await receiver.serving { url in
                let task = Task { try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID()) }
                await receiver.nextRequest()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }

        @Test func aReceiverThatIsNotThereIsAnError() async throws {
            let url = try await Receiver { _, _ in Response(status: .ok) }.serving { $0 }

            await #expect(throws: (any Error).self) {
                try await HTTPWebhook(url, clock: clock, logger: quiet).send(Data(), id: UUID())
            }
        }
    }
    #else
    @Suite struct WebhookTests {
        @Test func withoutTheTraitAWebhookIsRefusedAndTheDatabaseIsNotOpened() async throws {
            let folder = try TestFolder()
            var configuration = LedgerServerConfiguration(database: folder.location)
            configuration.webhook = URL(string: "http://127.0.0.1:1/")

            let error = await #expect(throws: WebhookError.self) { _ = try await LedgerServer(configuration) }

            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("--traits Webhooks") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).isEmpty)
        }
    }
    #endif
}
#endif
