// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import HeadraceStorage
import Hummingbird
import LedgerApplication
import Logging
import ServiceLifecycle
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    /// A server without validation of its composition, in which the webhook of a handler is missing.
    @Suite(.timeLimit(.minutes(2))) struct MissingDependencyTests {
        private final class DeadLetterWatch: RelayObserver {
            let reasons: AsyncStream<String>
            private let found: AsyncStream<String>.Continuation

            init() {
                (reasons, found) = AsyncStream.makeStream()
            }

            func deadLettered(_ delivery: Delivery, reason: String) {
                found.yield(reason)
            }
        }

        private let watch = DeadLetterWatch()

        private func container(on store: InMemoryStore) -> Container {
            var relay = Relay.Configuration()
            relay.maximumAttempts = 1
            let builder = ContainerBuilder()
            builder.domain(
                store: store,
                handlers: [SendWebhook.self],
                relay: relay,
                relayObservers: [watch]
            )
            builder.commandQueryDispatch().standard(
                commandHandlers: [PostTransactionHandler.self],
                queryHandlers: [GetBalancesHandler.self],
                resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
            )
            return builder.build()
        }

        @Test func aMissingDependencyFailsADeliveryAndTheServerKeepsAnswering() async throws {
            let store = try InMemoryStore(entities: LedgerComposition.entities)
            let container = container(on: store)
            let relay: Relay = container.resolve()
            let (ports, port) = AsyncStream<Int>.makeStream()
            let router = Router(context: LedgerRequestContext.self)
            router.messages(of: container).addBooks()
            router.messages(of: container).addKeyedCommands()
            let application = Application(
                router: router,
                configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) }
            )
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [relay, application], logger: quiet)
            )

            try await withThrowingTaskGroup { tasks in
                tasks.addTask {
                    defer { port.finish() }
                    try await group.run()
                }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())

                let posted = try await Self.send("POST", "/api/transactions", body: Self.transaction, to: port)
                var reasons = watch.reasons.makeAsyncIterator()
                let reason = try #require(await reasons.next())
                let balances = try await Self.send("GET", "/api/balances", to: port)

                #expect(posted.status == 201)
                #expect(reason.contains("LedgerApplication.Webhook"))
                #expect(reason.contains("LedgerApplication.SendWebhook. To fix"))
                #expect(try balances.json(BalancesResponse.self).balances.map(\.account) == ["cash", "food"])
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }

            #expect(try await DeadLetters(in: store).page().map(\.subscription) == ["webhook"])
        }

        private static let transaction = """
            {"date":"2026-01-31","description":"transfer",
            "postings":[{"account":"food","amount":"1 EUR"},{"account":"cash","amount":null}]}
            """

        private static func send(
            _ method: String,
            _ path: String,
            body: String = "",
            to port: Int
        ) async throws -> Answer {
            try await Connection.with(port: port) { reading, writing in
                try await writing.send(
                    "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
                return try Answer(try await reading.all())
            }
        }
    }
}
#endif
