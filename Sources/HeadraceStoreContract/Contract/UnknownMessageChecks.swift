// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Relays of two versions of a program work on one store.
extension StoreContract {
    static let unknownMessageChecks: [Check] = [
        Check("a lane with an unknown message is leased by a relay that knows it, or when its wait ends") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            let lane = try await fixture.leaseOne(at: 0)
            try await fixture.settle(lane, end: .unknown(version: 3, at: 0))

            try requireEqual(
                try await fixture.lease(at: 99).numbers, [],
                "the list of due deliveries for a relay without known messages")
            for (name, versions) in [("other", 1...9), ("numbered", 1...2), ("numbered", 4...9)] {
                let lanes = try await fixture.lease(knowing: name, versions, at: 50)
                try requireEqual(
                    lanes.numbers, [], "the list of due deliveries for a relay that knows '\(name)' in \(versions)")
            }
            let known = try await fixture.lease(knowing: "numbered", 2...4, at: 50)
            try requireEqual(
                known.numbers, [["1", "2"]], "the list of due deliveries for a relay that knows the message")
            try requireEqual(known.first?.map(\.attempt), [1, 1], "the attempts")
            try requireEqual(known.first?.first?.mayHaveRun, false, "whether a handler may have run")
            try requireEqual(
                known.first?.first?.unknownSince, DeliveryFixture.date(0), "the date since which it is unknown")
            try requireEqual(
                try await fixture.lease(knowing: "numbered", 2...4, at: 50).numbers, [],
                "the list of due deliveries then")

            try await fixture.settle(known[0], end: .unknown(version: 3, at: 50))
            let late = try await fixture.leaseOne(at: 100)
            try requireEqual(late.numbers, ["1", "2"], "the list of due deliveries when its wait ends")
        },
        Check("a message stays unknown, with its first date, until it is handled") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            var lane = try await fixture.leaseOne(at: 0)
            try await fixture.settle(lane, end: .unknown(version: 3, at: 0))
            let known = try await fixture.lease(knowing: "numbered", 3...3, at: 1)
            try requireEqual(
                known.numbers, [["1", "2", "3"]], "the list of due deliveries for a relay that knows the message")
            lane = known[0]
            try await fixture.settle(lane, end: .retry(at: DeliveryFixture.date(2), now: DeliveryFixture.date(1)))
            lane = try await fixture.leaseOne(at: 2)
            try requireEqual(lane.first?.unknownSince, DeliveryFixture.date(0), "the time after a retry")

            try await fixture.settle(lane, acknowledged: 1)
            try await fixture.settle(Array(lane.dropFirst()), end: .released(now: DeliveryFixture.date(2)))

            lane = try await fixture.leaseOne(at: 2)
            try requireEqual(lane.numbers, ["2", "3"], "the list of remaining deliveries")
            try requireEqual(lane.map(\.unknownSince), [nil, nil], "the date since which it is unknown")
        },
        Check("lanes with unknown messages do not delay other lanes") { fixture in
            let fixture = try await fixture.openDeliveries()
            for number in 0..<UInt8(20) { try await fixture.store.commit(ChangeSet().delivering(number, of: nil)) }
            for lane in try await fixture.lease(at: 0) {
                try await fixture.settle(lane, end: .unknown(version: 3, at: 0))
            }
            try await fixture.store.commit(ChangeSet().delivering(20, of: nil).delivering(21, of: nil))

            try requireEqual(
                try await fixture.lease(at: 1, lanes: 2).numbers, [["20"], ["21"]], "the list of due deliveries")
            let known = try await fixture.lease(knowing: "numbered", 3...3, at: 1, lanes: 3)
            try requireEqual(
                known.numbers, [["0"], ["1"], ["2"]], "the list of due deliveries for a relay that knows them")
        },
        Check("a replay delivers unknown messages from the beginning") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            try await fixture.settle(try await fixture.leaseOne(at: 0), end: .unknown(version: 3, at: 0))

            _ = try await fixture.store.replay("a", eventsNamed: ["numbered"], after: 0)

            let lane = try await fixture.leaseOne(at: 0)
            try requireEqual(lane.numbers, ["1"], "the list of due deliveries")
            try requireEqual(lane.first?.unknownSince, nil, "the date since which it is unknown")
        },
        Check("an older and a newer relay share a subscription, and no message is lost, repeated, or out of order") {
            fixture in
            let store = try await fixture.openDeliveries().store
            try await RollingDeployment(store: store).perform()
        },
    ]
}

extension Settlement.End {
    /// The first delivery of a lane of numbered events is unknown, until 100 seconds after the start.
    fileprivate static func unknown(version: Int, at seconds: Double) -> Self {
        .unknown(
            name: "numbered",
            version: version,
            since: DeliveryFixture.date(0),
            until: DeliveryFixture.date(100),
            now: DeliveryFixture.date(seconds)
        )
    }
}

extension DeliveryFixture {
    /// Leases as a relay that knows these versions of a message.
    fileprivate nonisolated(nonsending) func lease(
        knowing name: String,
        _ versions: ClosedRange<Int>,
        at seconds: Double,
        lanes: Int = 100
    ) async throws -> [[Delivery]] {
        try await store.lease(
            LeaseRequest(
                subscriptions: ["a"],
                laneLimit: lanes,
                batchLimit: 100,
                now: Self.date(seconds),
                duration: .seconds(10),
                known: ["a": [KnownMessage(name: name, versions: versions)]]
            )
        ).lanes
    }
}

/// An older and a newer relay that know different versions of one event.
///
/// Only the newer relay knows the other event.
private struct RollingDeployment {
    let store: any DeliveryStore
    private let notebook = Notebook()
    private let clock = TestClock()

    init(store: any DeliveryStore) {
        self.store = store
    }

    nonisolated(nonsending) func perform() async throws {
        let services = ServiceLocator()
        services.register(notebook)
        let older = DomainEventHandlerRegistrar(resolver: services)
        older.register(ReadOlder.self)
        let newer = DomainEventHandlerRegistrar(resolver: services)
        newer.register(ReadNewer.self)
        newer.register(ReadExtra.self)

        // Each stream has an event that both relays know, followed by two events that only the newer relay knows.
        for stream in 0..<10 { try await commit(stream, [1, 2, 3]) }
        let olderRelay = relay(older)
        let olderRun = Task { try await olderRelay.run() }
        await notebook.wait { $0.left >= 10 }
        try requireEqual(
            notebook.numbers, Set((0..<10).map { $0 * 100 }), "the set of messages that the older relay handled")

        let newerRelay = relay(newer)
        let newerRun = Task { try await newerRelay.run() }
        await notebook.wait { $0.handled.count >= 30 }
        for stream in 0..<10 { try await commit(stream, [2, 1, 3, 1], from: 3) }
        await notebook.wait { $0.handled.count >= 70 }

        olderRelay.shutDown()
        newerRelay.shutDown()
        try await olderRun.value
        try await newerRun.value
        try requireEqual(notebook.handledCount, 70, "the number of handled messages")
        for stream in 0..<10 {
            let numbers = notebook.numbers(of: stream)
            try requireEqual(
                numbers, (0..<7).map { stream * 100 + $0 }, "the list of handled messages of stream \(stream)")
        }
        try requireEqual(notebook.attempts, [1], "the attempts")
        let statistics = try await store.deliveryStatistics()
        try requireEqual(statistics.deadLetterCount, 0, "the number of dead letters")
        try requireEqual(statistics.pendingCount, 0, "the number of pending deliveries")
    }

    private func relay(_ registrar: DomainEventHandlerRegistrar) -> Relay {
        var configuration = Relay.Configuration()
        configuration.laneLimit = 4
        return Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            relayObservers: [notebook],
            clock: clock,
            wallClock: { DeliveryFixture.date(0) }
        )
    }

    /// Commits events: 1 and 2 are the versions of the first event, and 3 is the other event.
    private nonisolated(nonsending) func commit(_ stream: Int, _ kinds: [Int], from first: Int = 0) async throws {
        var changes = ChangeSet()
        for (index, kind) in kinds.enumerated() {
            changes.deliveries.append(ChangeSet.NewDelivery(event: index, subscription: "notes"))
            changes.events.append(
                NewEvent(
                    id: .version7(),
                    name: kind == 3 ? ExtraNoted.eventName : OlderNoted.eventName,
                    version: kind == 2 ? 2 : 1,
                    stream: EntityReference(kind: "kind", key: "\(stream)"),
                    recordedAt: DeliveryFixture.date(0),
                    json: Data(#"{"number":\#(stream * 100 + first + index)}"#.utf8)
                )
            )
        }
        try await store.commit(changes)
    }
}

private struct OlderNoted: DurableDomainEvent {
    static let eventName = "noted"
    var number: Int
}

private struct NewerNoted: DurableDomainEvent {
    static let eventName = "noted"
    static let eventVersion = 2
    static let eventMigrations = [JSONMigration(from: 1) { _ in }]
    var number: Int
}

private struct ExtraNoted: DurableDomainEvent {
    static let eventName = "extra-noted"
    var number: Int
}

private struct ReadOlder: DurableDomainEventHandler {
    static let subscriptionName = "notes"

    static func handle(event: OlderNoted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Notebook.self).note(event.number)
    }
}

private struct ReadNewer: DurableDomainEventHandler {
    static let subscriptionName = "notes"

    static func handle(event: NewerNoted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Notebook.self).note(event.number)
    }
}

private struct ReadExtra: DurableDomainEventHandler {
    static let subscriptionName = "notes"

    static func handle(event: ExtraNoted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Notebook.self).note(event.number)
    }
}

/// Records the handled and the released messages, and lets a check wait for them.
private final class Notebook: RelayObserver {
    struct State {
        var handled: [Int] = []
        var attempts: Set<Int> = []
        var left = 0
    }

    private let state = ConditionVariable(State())

    var handledCount: Int { state.value.handled.count }
    var numbers: Set<Int> { Set(state.value.handled) }
    var attempts: Set<Int> { state.value.attempts }

    func numbers(of stream: Int) -> [Int] {
        state.value.handled.filter { $0 / 100 == stream }
    }

    func note(_ number: Int) {
        state.change { state in
            state.handled.append(number)
            state.attempts.insert(DeliveryContext.current?.attempt ?? 0)
        }
    }

    func left(_ delivery: Delivery, reason: String, until: Date) {
        state.change { $0.left += 1 }
    }

    func wait(until isDone: @escaping @Sendable (State) -> Bool) async {
        await state.wait(until: isDone)
    }
}
