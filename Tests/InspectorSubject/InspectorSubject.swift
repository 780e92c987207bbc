//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceResolution
import HeadraceServices
import HeadraceStations

/// A program to be looked at in a browser: it does what it reads, a line at a time, and says when it was done.
///
/// - `post ACCOUNT AMOUNT` posts a transaction, as a request of a server does; more than 1,000 is refused, and the webhook
///   of 13 fails until it reads `mend`;
/// - `ask ACCOUNT` asks for a balance;
/// - `mend` mends the webhooks.
///
/// It says the address of its inspector first, and ends when there is nothing more to read.
@main
enum InspectorSubject {
    static func main() async throws {
        var configuration = Inspector.Configuration()
        if !CommandLine.arguments.contains("--redact") { configuration.redaction = .nothing }
        let inspector = Inspector(configuration: configuration)
        let observers: [any MessageObserver] = [inspector.observer]

        let store = try InMemoryStore(entities: [Account.self])
        let line = Line()
        let services = ServiceLocator()
        services.register(line)
        let registrar = DomainEventHandlerRegistrar(resolver: services, observers: observers)
        registrar.register(CheckLimit.self)
        registrar.register(SendWebhook.self)

        let builder = ContainerBuilder()
        builder.singleton { store as any EntityStore }
        builder.singleton { registrar }
        builder.commandQueryDispatch().standard(
            commandHandlers: [PostTransactionHandler.self],
            queryHandlers: [GetBalanceHandler.self],
            observers: observers
        )
        let container = builder.build()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let totals = ActorStation(initialState: Totals.State(), observers: observers) { Totals() }
        let cluster = try await Bootstrap { Upkeep() }

        inspector.show(container.graph)
        inspector.show(cluster.graph)
        inspector.show(totals, named: "Totals")
        inspector.show(store)

        var settings = Relay.Configuration()
        settings.maximumAttempts = 1
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: settings,
            observers: observers,
            relayObservers: [inspector.observer]
        )
        let delivering = Task { try await relay.run() }
        let allowsWrites = !CommandLine.arguments.contains("--read-only")
        let server = InspectorServer(inspector, allowsWrites: allowsWrites) { say($0) }
        try await server.start()

        while let words = readLine()?.split(separator: " ").map(String.init), let verb = words.first {
            do {
                switch verb {
                case "post" where words.count == 3:
                    try await withRootMessage(PostRequest(path: "/transactions"), observers: observers) { _ in
                        try await dispatcher.dispatch(PostTransaction(account: words[1], amount: Int(words[2]) ?? 0))
                        await totals.pour(.posted(words[1]))
                    }
                case "ask" where words.count == 2: _ = try await dispatcher.dispatch(GetBalance(account: words[1]))
                case "mend": line.mend()
                default: say("what?")
                }
                say("done")
            } catch {
                say("refused")
            }
        }
        relay.shutDown()
        try await delivering.value
        await server.stop()
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
#else
/// Without the trait there is no server to look at.
@main
enum InspectorSubject {
    static func main() {
        print("The trait 'Inspector' is off.")
    }
}
#endif
