// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceServices
import HeadraceStations
import HeadraceStorage
import HeadraceWorkflows
import Synchronization

/// A request from a client.
struct PostRequest: NamedMessage {
    var path: String

    var messageName: String { "POST \(path)" }
}

/// The user of the requests.
struct Clerk: Principal {
    let principalID = "anna"
}

struct PostTransaction: CQDCommand, Encodable {
    var account: String
    var amount: Int
    var labels = ["paid", "<b>checked</b>"]
}

struct GetBalance: CQDQuery {
    typealias Value = Int
    var account: String
}

final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var balance = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

struct TransactionPosted: DurableDomainEvent {
    static let eventName = "transaction-posted"
    var account: String
    var amount: Int
}

struct LimitExceeded: Error {}

/// Rejects amounts above 1,000.
struct CheckLimit: DomainEventHandler {
    static func handle(event: TransactionPosted, resolver: any DependencyResolver) async throws {
        if event.amount > 1_000 { throw LimitExceeded() }
    }
}

/// Sends each transaction to the webhook.
///
/// An amount of 13 fails until the endpoint is repaired.
struct SendWebhook: DurableDomainEventHandler {
    static let subscriptionName = "webhooks"

    static func handle(event: TransactionPosted, resolver: any DependencyResolver) async throws {
        try resolver.resolve(WebhookEndpoint.self).send(event.amount)
    }
}

/// The receiver of webhooks.
///
/// An amount of 13 fails until `repair()` is called.
final class WebhookEndpoint: Sendable {
    struct Broken: Error, CustomStringConvertible {
        var description: String { "the line is broken <b>at 13</b>" }
    }

    private let isRepaired = Mutex(false)

    func repair() { isRepaired.withLock { $0 = true } }

    func send(_ amount: Int) throws {
        if amount == 13, !isRepaired.withLock(\.self) { throw Broken() }
    }
}

final class PostTransactionHandler: HandlesCommand, Resolvable {
    private let store: any EntityStore
    private let registrar: DomainEventHandlerRegistrar

    init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
        registrar = scope.resolve()
    }

    func handle(_ command: PostTransaction) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let account = try await context.find(Account.self, id: command.account) ?? Account(command.account)
            account.balance += command.amount
            context.insert(account)
            account.raiseEvent(TransactionPosted(account: account.id, amount: command.amount))
        }
    }
}

final class GetBalanceHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    func handle(_ query: GetBalance) async throws -> Int {
        try await EntityContext(store).find(Account.self, id: query.account)?.balance ?? 0
    }
}

/// The number of posted transactions, and the account of the last transaction.
struct Totals: Dripper {
    struct State: Codable, Sendable {
        var count = 0
        var latest = "<i>nothing</i>"
    }

    enum Action: Codable, Sendable {
        case posted(String)
        case restored(State)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .posted(let account):
                state.count += 1
                state.latest = account
            case .restored(let earlier):
                state = earlier
            }
            return .none
        }
    }
}

/// A workflow with several steps.
///
/// The kind `broken` fails, the kind `late` waits for the next attempt at a step and for a pause, and each other kind completes.
struct Report: DurableWorkflow {
    struct Broken: Error, CustomStringConvertible {
        var description: String { "the printer is broken <b>at noon</b>" }
    }

    static let workflowName = "weekly-report"

    let kind: String

    func run(_ flow: WorkflowContext) async throws -> [String] {
        let kind = kind
        let lines = try await flow.step("collect") { _ in ["first", "<i>second</i>"] }
        try await flow.transaction("archive") { $0.insert(Account("archive of \(kind)")) }
        if kind == "late" {
            async let pause: Void = flow.sleep(for: .seconds(86_400))
            try await flow.step("print", retry: .patient) { _ in throw Broken() }
            try await pause
        }
        try await flow.step("print", retry: .never) { _ in if kind == "broken" { throw Broken() } }
        return lines
    }
}

extension StepRetry {
    fileprivate static let patient = StepRetry(
        maximumAttempts: 9, backoff: Backoff(base: .seconds(3_600), longest: .seconds(3_600), jitter: 0))
}

struct Refresh: HeadraceCore.Action {}

/// A tree of services to be drawn.
struct Upkeep: Service {
    var body: some Service {
        Group {
            Store(model: Int.self).mutate(on: Refresh.self) { count, _, _ in count += 1 }
            Store(model: Int.self).mutate(on: Refresh.self) { count, _, _ in count -= 1 }
        }
        .with(model: 0)
    }
}
