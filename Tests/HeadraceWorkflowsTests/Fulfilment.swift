// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Synchronization

/// An order is paid, packed, shipped, and reviewed.
struct Fulfilment: DurableWorkflow {
    static let workflowName = "fulfilment"
    static let receives: [WorkflowEvent<Fulfilment>] = [.event(Packed.self) { $0.order }]

    let order: Int

    func run(_ flow: WorkflowContext) async throws -> Receipt {
        let payment = try await flow.dispatch(TakePayment(order: order, amount: 100), retry: .never)
        do {
            guard try await flow.next(Packed.self, within: .seconds(3 * 86_400)) != nil else { throw NotPacked() }
            async let label = flow.dispatch(PrintLabel(order: order))
            async let mail: Void = flow.step("mail") { step in
                try step.resolve(Outside.self).call("mail", key: step.idempotencyKey)
            }
            _ = try await (label, mail)
        } catch {
            try await flow.dispatch(Refund(order: order, payment: payment))
            throw error
        }
        try await flow.sleep(for: .seconds(30 * 86_400))
        let order = order
        return try await flow.transaction("survey") { context in
            context.insert(Line("survey \(order)"))
            return Receipt(order: order, payment: payment)
        }
    }
}

struct Receipt: Codable, Hashable, Sendable {
    let order: Int
    let payment: String
}

struct NotPacked: Error, Codable, Hashable {}

struct Packed: DurableDomainEvent {
    static let eventName = "packed"
    let order: Int
}

struct TakePayment: DurableCommand, CQDCommand, Hashable {
    typealias Output = String
    static let commandName = "take-payment"
    let order: Int
    let amount: Int
}

struct PrintLabel: DurableCommand, CQDCommand, Hashable {
    typealias Output = Int
    static let commandName = "print-label"
    let order: Int
}

struct Refund: DurableCommand, CQDCommand, Hashable {
    static let commandName = "refund"
    let order: Int
    let payment: String
}

struct CardDeclined: Error, Codable, Hashable, RetryableError {
    var code = 51
    var isRetryable: Bool { false }
}

/// A row that a step has stored.
final class Line: StoredEntity {
    static let entityName = "line"
    let id: UUID
    let text: String
    var raisedEvents = RaisedEvents()

    init(_ text: String) {
        id = .version7()
        self.text = text
    }
}

/// The other systems that steps call, and what they were called with.
final class Outside: Sendable {
    private let state = Mutex(State())

    private struct State {
        var calls: [(name: String, key: UUID)] = []
        var failures: [String: [any Error]] = [:]
        var gates: [String: Gate] = [:]
    }

    /// Lets the calls of `name` wait until `gate` is open.
    func hold(_ name: String, at gate: Gate) { state.withLock { $0.gates[name] = gate } }

    /// Waits until the call of `name` may go on.
    func arrive(_ name: String) async { await state.withLock { $0.gates[name] }?.pass() }

    /// Lets the next calls of `name` fail, one for each error.
    func fail(_ name: String, with errors: [any Error]) { state.withLock { $0.failures[name, default: []] += errors } }

    func call(_ name: String, key: UUID = UUID()) throws {
        let error = state.withLock { state in
            state.calls.append((name, key))
            guard var failures = state.failures[name], !failures.isEmpty else { return nil as (any Error)? }
            defer { state.failures[name] = failures }
            return failures.removeFirst()
        }
        if let error { throw error }
    }

    var calls: [String] { state.withLock { $0.calls.map(\.name) } }

    func keys(of name: String) -> Set<UUID> { state.withLock { Set($0.calls.filter { $0.name == name }.map(\.key)) } }
}

/// Carries out the commands of the workflows, each with a row.
struct ShopHandler {
    let work: UnitOfWork<EntityContext>
    let outside: Outside

    nonisolated(nonsending) func note(_ text: String) async throws {
        try await work.execute { $0.insert(Line(text)) }
        let name = text.split(separator: " ")[0].description
        await outside.arrive(name)
        try outside.call(name)
    }
}

struct TakePaymentHandler: HandlesCommand, Resolvable {
    let shop: ShopHandler

    static var dependencies: Dependencies { Dependencies().on(ShopHandler.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        shop = scope.resolve()
    }

    func handle(_ command: TakePayment) async throws -> String {
        try await shop.note("payment \(command.order)")
        return "P\(command.order)"
    }
}

struct PrintLabelHandler: HandlesCommand, Resolvable {
    let shop: ShopHandler

    static var dependencies: Dependencies { Dependencies().on(ShopHandler.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        shop = scope.resolve()
    }

    func handle(_ command: PrintLabel) async throws -> Int {
        try await shop.note("label \(command.order)")
        return command.order * 10
    }
}

struct RefundHandler: HandlesCommand, Resolvable {
    let shop: ShopHandler

    static var dependencies: Dependencies { Dependencies().on(ShopHandler.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        shop = scope.resolve()
    }

    func handle(_ command: Refund) async throws {
        try await shop.note("refund \(command.order)")
    }
}

/// Runs workflows on a store, and on a clock that the test moves.
final class WorkflowBench: Sendable {
    let store: any DeliveryStore
    let clock = TestClock()
    let outside = Outside()
    private let middleware: [any Middleware]
    private let runs = Mutex<UInt64>(0)

    init(_ store: (any DeliveryStore)? = nil, middleware: [any Middleware] = []) throws {
        self.middleware = middleware
        self.store = try store ?? InMemoryStore(entities: [StoredWorkflow.self, Line.self])
    }

    /// Runs a relay, as another process than before does.
    nonisolated(nonsending) func run<Result>(
        _ workflows: [any DurableWorkflow.Type] = [Fulfilment.self],
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Container) async throws -> Result
    ) async throws -> Result {
        let builder = ContainerBuilder()
        builder.domain(store: store, workflows: workflows, relayMiddleware: middleware)
        builder.singleton(Outside.self) { [outside] in outside }
        builder.transient(
            ShopHandler.self,
            closure(needs: UnitOfWork<EntityContext>.self) { [outside] scope in
                ShopHandler(work: scope.resolve(), outside: outside)
            })
        builder.commandQueryDispatch().standard(
            commandHandlers: [TakePaymentHandler.self, PrintLabelHandler.self, RefundHandler.self])
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let seed = runs.withLock { runs in
            runs += 1
            return runs
        }
        return try await TestRelay.run(container.resolve(), clock: clock, seed: seed) { relay in
            try await body(relay, container.resolve(), container)
        }
    }

    /// The rows of the steps, in order.
    nonisolated(nonsending) func lines() async throws -> [String] {
        try await EntityContext(store).fetch(Line.self).map(\.text)
    }
}
