// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows

/// A store with workflows, which an inspector shows.
struct WorkflowFixture {
    /// The parts of a running program.
    struct Program {
        let relay: TestRelay
        let workflows: Workflows
        let work: UnitOfWork<EntityContext>
        let client: Client

        /// Starts a purchase, and waits until it waits or has ended.
        nonisolated(nonsending) func start(_ order: String) async throws {
            try await workflows.start(Purchase(order: order), id: order)
            try await relay.untilIdle()
        }

        /// Returns the handle of the purchase with the state `state`.
        nonisolated(nonsending) func handle(in state: String) async throws -> String {
            let page: WorkflowList = try await client.get("/api/workflows?workflow=purchase&state=\(state)").read()
            return page.instances.first?.instance ?? "none"
        }

        nonisolated(nonsending) func details(in state: String) async throws -> WorkflowContent {
            try await client.get("/api/workflows/instance?instance=\(handle(in: state))").read()
        }
    }

    let store: InMemoryStore
    let inspector: Inspector

    init(_ configure: (inout InspectorConfiguration) -> Void = { _ in }) throws {
        var configuration = InspectorConfiguration()
        configure(&configuration)
        store = try InMemoryStore(entities: [StoredWorkflow.self])
        inspector = Inspector(configuration: configuration)
        inspector.show(store)
    }

    /// Runs a relay that carries out the workflows.
    nonisolated(nonsending) func run(
        allowsWrites: Bool = true, _ body: nonisolated(nonsending) (Program) async throws -> Void
    ) async throws {
        let builder = ContainerBuilder()
        builder.domain(store: store, workflows: [Purchase.self, Shipment.self])
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let client = Client(InspectorRoutes(inspector, allowsWrites: allowsWrites))
        try await TestRelay.run(container.resolve(), clock: TestClock(), seed: 1) { relay in
            try await body(
                Program(relay: relay, workflows: container.resolve(), work: container.resolve(), client: client))
        }
    }
}

/// A purchase is charged, sent in a parcel, and rated.
///
/// The card of the order `declined` is declined.
struct Purchase: DurableWorkflow {
    static let workflowName = "purchase"
    static let receives: [WorkflowEvent<Purchase>] = [.event(Rated.self) { $0.order }]

    let order: String
    var card = "c4rd"

    func run(_ flow: WorkflowContext) async throws -> Receipt {
        let order = order
        let number = try await flow.step("charge", retry: .never) { _ in
            if order == "declined" { throw Declined() }
            return "ch4rge"
        }
        _ = try await flow.run(Shipment(address: "str33t"), id: order)
        let rating = try await flow.next(Rated.self)
        return Receipt(text: "\(number) \(rating.text)")
    }
}

/// A parcel takes a minute, and an address receives one parcel at a time.
struct Shipment: DurableWorkflow {
    static let workflowName = "parcel"

    let address: String

    var concurrency: WorkflowConcurrency? { .atMost(1, by: address) }

    func run(_ flow: WorkflowContext) async throws -> String {
        try await flow.sleep(for: .seconds(60))
        return "tr4ck"
    }
}

struct Receipt: Codable, Hashable, Sendable {
    let text: String
}

struct Declined: Error, CustomStringConvertible {
    var description: String { "the c4rd is empty" }
}

struct Rated: DurableDomainEvent {
    static let eventName = "rated"
    let order: String
    let text: String
}

/// A page of instances as a client decodes it.
struct WorkflowList: Decodable {
    struct Instance: Decodable {
        let instance: String
        let workflow: String
        let id: String?
        let state: String
        let steps: Int
        let waits: [String]
        let started: Double
        let ended: Double?
        let hidden: [String]?
    }

    let instances: [Instance]
    let next: String?
    let hints: [String: String]?
}

/// An instance as a client decodes it.
struct WorkflowContent: Decodable {
    struct Shown: Decodable {
        let text: String?
    }

    struct Failure: Decodable {
        let type: String
        let text: String?
    }

    struct Step: Decodable {
        let step: Int
        let title: String
        let asked: Double
        let done: Double?
        let due: Double?
        let attempts: Int
        let input: Shown?
        let result: Shown?
        let childState: String?
        let failure: Failure?
        let hidden: [String]?
    }

    let summary: WorkflowList.Instance
    let input: Shown
    let output: Shown?
    let failure: Failure?
    let omitted: Int
    let steps: [Step]
    let waits: [Step]
    let hints: [String: String]?
}
