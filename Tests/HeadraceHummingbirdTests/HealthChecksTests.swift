// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceHummingbird
import HeadraceProjections
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(2))) struct HealthChecksTests {
    /// A store with a pending event.
    private final class LaggingStore: StoreDecorator {
        let base: any DeliveryStore
        private let oldest: Date

        init(_ base: any DeliveryStore, oldest: Date) {
            self.base = base
            self.oldest = oldest
        }

        func deliveryStatistics() async throws -> DeliveryStatistics {
            DeliveryStatistics(
                subscriptions: [.init(name: "mail", pendingCount: 1, oldestPending: oldest, deadLetterCount: 0)],
                lastPosition: 1
            )
        }
    }

    private final class FailingStore: StoreDecorator {
        struct Failure: Error {}

        let base: any DeliveryStore

        init(_ base: any DeliveryStore) {
            self.base = base
        }

        func deliveryStatistics() async throws -> DeliveryStatistics { throw Failure() }
    }

    /// A store that can't delete anything, so that the removal of a projection doesn't end.
    private final class StoreWithoutDeletions: StoreDecorator {
        let base: any DeliveryStore

        init(_ base: any DeliveryStore) {
            self.base = base
        }

        func commit(_ changes: ChangeSet) async throws {
            if !changes.deletions.isEmpty { throw StoreError(code: .full, message: "There is no space left.") }
            try await base.commit(changes)
        }
    }

    /// A store that reports the first lease of a relay.
    private final class LeasingStore: StoreDecorator {
        let base: any DeliveryStore
        let gate: Gate

        init(_ base: any DeliveryStore, gate: Gate) {
            self.base = base
            self.gate = gate
        }

        func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
            await gate.pass()
            return try await base.lease(request)
        }
    }

    private func ready(_ checks: HealthChecks) async throws -> Answer {
        let router = Router()
        router.health(checks)
        return try await router.client.send(.get, "/health/ready")
    }

    @Test func aServerThatAnswersIsLive() async throws {
        let router = Router()
        router.health(HealthChecks())

        let answer = try await router.client.send(.get, "/health/live")

        #expect(answer.status == 200)
        #expect(answer.text == #"{"checks":[],"status":"ok"}"#)
    }

    @Test func aServerWithoutItsRelayIsNotReady() async throws {
        let store = try InMemoryStore(entities: [])
        let relay: Relay = try Booking().container.resolve()

        let answer = try await ready(HealthChecks(store: store, relay: relay))

        #expect(answer.status == 503)
        #expect(
            answer.text == #"""
                {"checks":[{"name":"store","ready":true},{"name":"lag","ready":true},{"name":"relay","ready":false}],"status":"unavailable"}
                """#)
    }

    /// An operator has stopped these deliveries, so their age doesn't take the server out of service.
    @Test func theDeliveriesOfAPausedSubscriptionDoNotCountAsLag() async throws {
        let store = try InMemoryStore(entities: [])
        var changes = ChangeSet(events: [
            NewEvent(
                id: UUID(), name: "old", version: 1, stream: nil, recordedAt: Date(timeIntervalSince1970: 0),
                json: Data("{}".utf8))
        ])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "mail")]
        try await store.commit(changes)
        #expect(try await ready(HealthChecks(store: store)).status == 503)

        _ = try await store.pause("mail", at: Date(timeIntervalSince1970: 1))

        #expect(try await ready(HealthChecks(store: store)).status == 200)
    }

    @Test func aRunningRelayIsReady() async throws {
        let gate = Gate()
        let store = LeasingStore(try InMemoryStore(entities: []), gate: gate)
        let container = ContainerBuilder().build()
        let relay = Relay(store: store, registrar: DomainEventHandlerRegistrar(resolver: container))
        let run = Task { try await relay.run() }
        await gate.arrivals(1)
        gate.open()

        let answer = try await ready(HealthChecks(relay: relay))
        relay.shutDown()
        try await run.value

        #expect(answer.status == 200)
        #expect(!relay.isRunning)
    }

    @Test func aServerIsReadyOnceItsProjectionsAreBuilt() async throws {
        let registrar = DomainEventHandlerRegistrar(resolver: ContainerBuilder().build())
        let lines = Projection<Line>("lines", version: 1).applying(LineWritten.self) { event, rows in
            rows.save(Line(id: event.line))
        }
        let store = try InMemoryStore(entities: Projections.entities)
        let projections = Projections(lines, on: store, delegator: registrar)
        var checks = HealthChecks()
        checks.projections = projections
        #expect(try await ready(checks).status == 503)

        let run = Task { try await projections.run() }
        try await projections.untilCurrent()
        let answer = try await ready(checks)
        #expect(answer.text == #"{"checks":[{"name":"projections","ready":true}],"status":"ok"}"#)
        projections.shutDown()
        try await run.value
        #expect(try await ready(checks).status == 503)
    }

    @Test func aServerWhoseProjectionIsBeingRemovedIsNotReady() async throws {
        let registrar = DomainEventHandlerRegistrar(resolver: ContainerBuilder().build())
        let lines = Projection<Line>("lines", version: 1).applying(LineWritten.self) { event, rows in
            rows.save(Line(id: event.line))
        }
        let store = StoreWithoutDeletions(try InMemoryStore(entities: Projections.entities))
        let projections = Projections(lines, on: store, delegator: registrar)
        var checks = HealthChecks()
        checks.projections = projections
        let run = Task { try await projections.run() }
        try await projections.untilCurrent()
        #expect(try await ready(checks).status == 200)

        await #expect(throws: StoreError.self) { try await projections.remove("lines") }

        #expect(try await ready(checks).status == 503)
        projections.shutDown()
        try await run.value
    }

    @Test(arguments: [(299.0, 200), (301.0, 503)])
    func aServerThatLagsIsNotReady(age: TimeInterval, status: Int) async throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let store = LaggingStore(try InMemoryStore(entities: []), oldest: now.addingTimeInterval(-age))

        let answer = try await ready(HealthChecks(store: store, wallClock: { now }))

        #expect(answer.status == status)
    }

    @Test func aStoreThatFailsIsNotReady() async throws {
        let answer = try await ready(HealthChecks(store: FailingStore(try InMemoryStore(entities: []))))

        #expect(answer.status == 503)
        #expect(answer.text == #"{"checks":[{"name":"store","ready":false}],"status":"unavailable"}"#)
    }

    @Test func ownChecksCount() async throws {
        var checks = HealthChecks()
        checks.others["mail"] = { false }

        #expect(try await ready(checks).status == 503)
    }
}

private struct Line: ProjectionRow {
    let id: String
}

private struct LineWritten: DurableDomainEvent {
    static let eventName = "line-written"
    var line: String
}
#endif
