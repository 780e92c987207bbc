// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceSimulation
import HeadraceStorage
import LedgerApplication
import LedgerBooks

/// Three servers of the ledger on one database, and their clients.
struct LedgerWorld: Sendable {
    /// The account that never falls below zero.
    static let wallet = "assets:wallet"

    /// The world of the simulation.
    let world: SimulatedWorld

    /// The servers.
    let servers: [SimulatedNode<Container>]

    /// The receiver of the webhook.
    let receiver: SimulatedService

    /// The messages of the clients, and their answers.
    let record = LedgerRecord()

    /// Runs the ledger with `clientCount` clients, and checks its books.
    static func simulate(_ world: SimulatedWorld, clients clientCount: Int = 20) async throws {
        let books = BooksInvariant()
        world.always("the books are balanced") { try await books.holds(in: $0) }
        let receiver = world.service("receiver")
        let servers = try await world.start("server", count: 3) { node in
            var configuration = LedgerComposition.Configuration()
            configuration.clock = SystemValues.current.clock
            configuration.webhook = SimulatedWebhook(receiver: receiver)
            return try LedgerComposition.makeContainer(on: node.store, configuration: configuration)
        }
        let ledger = LedgerWorld(world: world, servers: servers, receiver: receiver)
        try await ledger.open()
        try await world.clients(clientCount) { number in
            try await LedgerClient(number: number, ledger: ledger).run()
        }
        try await ledger.check()
    }

    /// Fills the wallet, and lets it never fall below zero.
    private func open() async throws {
        let client = LedgerClient(number: 0, ledger: self)
        try await client.post(try Self.draft("the opening balance", "200", from: "equity", to: Self.wallet))
        try await client.send {
            try await $0.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: Self.wallet))
        }
    }

    /// Returns the draft of a transaction between two accounts.
    static func draft(
        _ description: String, _ amount: String, of commodity: String = "EUR", from source: String, to target: String
    ) throws -> TransactionDraft {
        guard let date = BookDate("2030-01-01"), let quantity = Quantity(amount) else { throw CocoaError(.formatting) }
        return TransactionDraft(
            date: date,
            description: description,
            postings: [
                PostingDraft(account: target, amount: Amount(quantity, commodity)),
                PostingDraft(account: source),
            ]
        )
    }
}

/// A webhook whose receiver is a service of the simulation.
///
/// The key of each effect is the identifier of the event, and its operation is the identifier of the transaction.
private struct SimulatedWebhook: Webhook {
    private struct Body: Decodable {
        let id: UUID
        let content: TransactionPosted
    }

    let receiver: SimulatedService

    func send(_ body: Data, id: UUID) async throws {
        let decoder = JSONDecoder()
        let body = try decoder.decode(Body.self, from: body)
        try await receiver.perform("\(body.content.transaction)", key: "\(body.id)")
    }
}
#endif
