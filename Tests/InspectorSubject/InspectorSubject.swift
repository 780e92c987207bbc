// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceServices
import HeadraceStations
import HeadraceStorage
import HeadraceWorkflows

/// A program for the browser tests of the inspector.
///
/// It prints the address of its inspector, then reads commands.
///
/// - `post ACCOUNT AMOUNT` posts a transaction within a request. Amounts above 1,000 are rejected, and the webhook fails for
///   the amount 13 until the command `repair`.
/// - `traffic RATE COUNT` begins to post `COUNT` transactions, `RATE` each second, and `traffic end` waits for the last of them.
/// - `ask ACCOUNT` queries a balance.
/// - `repair` repairs the webhook.
/// - `report KIND` starts a workflow, with the argument `--workflows`; see `Report`.
///
/// With the argument `--retry`, a failed webhook is retried after an hour instead of becoming a dead letter.
///
/// With the argument `--history` and a folder, the inspector keeps its history there.
///
/// It prints `done` or `refused` after each command, and exits at the end of the input.
@main
enum InspectorSubject {
    static func main() async throws {
        var configuration = InspectorConfiguration()
        if !CommandLine.arguments.contains("--redact") {
            configuration.redaction = .disabled
            // The types in the list have a journal.
            configuration.redaction.show(Totals.State.self, Totals.Action.self)
        }
        let history = try Self.history()
        let inspector = Inspector(configuration: configuration, history: history)
        let keeping = Task { try await history?.run() }
        let observers: [any MessageObserver] = [inspector.observer]

        let hasWorkflows = CommandLine.arguments.contains("--workflows")
        let store = try InMemoryStore(entities: [Account.self] + (hasWorkflows ? [StoredWorkflow.self] : []))
        let endpoint = WebhookEndpoint()
        let builder = ContainerBuilder()
        builder.singleton { store as any EntityStore }
        builder.singleton { endpoint }
        builder.domainEvents(
            events: [TransactionPosted.self],
            staticHandlers: [CheckLimit.self, SendWebhook.self],
            observers: observers
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [PostTransactionHandler.self],
            queryHandlers: [GetBalanceHandler.self],
            observers: observers
        )
        let container = builder.build()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let registrar: DomainEventHandlerRegistrar = container.resolve()
        let totals = ActorStation(initialState: Totals.State(), observers: observers) { Totals() }
        let cluster = try await Bootstrap { Upkeep() }

        inspector.show(container.graph)
        inspector.show(cluster.graph)
        inspector.show(totals, named: "Totals", restoring: { .restored($0) })
        inspector.show(store)

        var settings = Relay.Configuration()
        let isPatient = CommandLine.arguments.contains("--retry")
        settings.maximumAttempts = isPatient ? 9 : 1
        if isPatient { settings.backoff = Backoff(base: .seconds(3_600), longest: .seconds(3_600), jitter: 0) }
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: settings,
            observers: observers,
            relayObservers: [inspector.observer]
        )
        inspector.show(relay)
        if hasWorkflows { Report.register(in: relay, container) }
        let workflows = Workflows(on: store, delegator: registrar)
        let delivering = Task { try await relay.run() }
        let allowsWrites = !CommandLine.arguments.contains("--read-only")
        let server = InspectorServer(inspector, allowsWrites: allowsWrites) { say($0) }
        try await server.start()

        @Sendable func post(_ account: String, _ amount: Int) async throws {
            try await withRootMessage(PostRequest(path: "/transactions"), observers: observers) { _ in
                try await MessageContext.withPrincipal(Clerk()) {
                    try await dispatcher.dispatch(PostTransaction(account: account, amount: amount))
                }
                await totals.pour(.posted(account))
            }
        }
        var traffic: Task<Void, any Error>?
        while let words = readLine()?.split(separator: " ").map(String.init), let verb = words.first {
            do {
                switch verb {
                case "post" where words.count == 3:
                    try await post(words[1], Int(words[2]) ?? 0)
                case "traffic" where words.count == 3:
                    let (rate, count) = (max(1, Int(words[1]) ?? 1), max(0, Int(words[2]) ?? 0))
                    traffic = Task { @concurrent in
                        let start = ContinuousClock.now
                        for number in 0..<count {
                            try await Task.sleep(until: start + .seconds(1) * number / rate, clock: .continuous)
                            try await post("traffic", 1)
                        }
                    }
                case "traffic" where words.count == 2: try await traffic?.value
                case "ask" where words.count == 2: _ = try await dispatcher.dispatch(GetBalance(account: words[1]))
                case "tap":
                    // As a server does it for a request of a client with a cause.
                    try await MessageContext.withCurrent(MessageContext(kind: .action, type: Refresh.self)) {
                        try await withRootMessage(PostRequest(path: "/tap"), observers: observers) { _ in
                            _ = try await dispatcher.dispatch(GetBalance(account: "bank"))
                        }
                    }
                case "repair": endpoint.repair()
                case "report" where words.count == 2: try await workflows.start(Report(kind: words[1]), id: words[1])
                default: say("unknown command")
                }
                say("done")
            } catch {
                say("refused")
            }
        }
        relay.shutDown()
        try await delivering.value
        await server.stop()
        keeping.cancel()
        try await keeping.value
    }

    /// The history in the folder after the argument `--history`.
    private static func history() throws -> InspectorHistory? {
        let folder = CommandLine.arguments.drop { $0 != "--history" }.dropFirst().first
        return try folder.map { try InspectorHistory(in: URL(filePath: $0)) }
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
#else
/// Without the trait, there is no server.
@main
enum InspectorSubject {
    static func main() {
        print("The trait 'Hummingbird' is off.")
    }
}
#endif
