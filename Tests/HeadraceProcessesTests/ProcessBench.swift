// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// The stores that the tests of processes and schedules run on.
enum ProcessPlace: CaseIterable {
    case memory
    #if SQLite
    case file
    #endif

    /// Runs `body` on a new store with these types of entities.
    func withStore(
        _ entities: [any StoredEntity.Type] = [StoredProcess.self, CarriedOut.self],
        _ body: (any DeliveryStore) async throws -> Void
    ) async throws {
        switch self {
        case .memory:
            try await body(InMemoryStore(entities: entities))
        #if SQLite
        case .file:
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(SQLiteStore(path: folder.appending(path: "processes.sqlite").path, entities: entities))
        #endif
        }
    }
}

/// Runs relays with processes on a store, and on a clock that the test moves.
final class ProcessBench: RelayObserver {
    let store: any DeliveryStore
    let clock = TestClock()
    private let seed = Atomic<UInt64>(0)
    private let notes = Mutex<[String]>([])

    init(_ store: any DeliveryStore) {
        self.store = store
    }

    /// The outcomes of deliveries that weren't delivered, in order.
    var mishaps: [String] { notes.withLock { $0 } }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        notes.withLock { $0.append("failed \(delivery.subscription)") }
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        notes.withLock { $0.append("dead \(delivery.subscription): \(reason)") }
    }

    func left(_ delivery: Delivery, reason: String, until: Date) {
        notes.withLock { $0.append("left \(delivery.subscription): \(reason)") }
    }

    static let scheduled: [ScheduledCommand] = [
        ScheduledCommand(TakePayment.self) { try await CarriedOut.note("take \($0.amount) for \($0.order)", $1) },
        ScheduledCommand(Ship.self) { try await CarriedOut.note("ship \($0.order)", $1) },
        ScheduledCommand(RefundPayment.self) { try await CarriedOut.note("refund \($0.amount) for \($0.order)", $1) },
        ScheduledCommand(CancelOrder.self) { try await CarriedOut.note("cancel \($0.order): \($0.reason)", $1) },
    ]

    /// Runs a relay on the store of the bench, or on `store`.
    ///
    /// Each run has other UUIDs, as another process has.
    nonisolated(nonsending) func run(
        _ processes: [any DurableProcess.Type] = [Fulfilment.self],
        on store: (any DeliveryStore)? = nil,
        attempts: Int = 3,
        _ body: nonisolated(nonsending) (TestRelay, Container) async throws -> Void
    ) async throws {
        let builder = ContainerBuilder()
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = attempts
        builder.domain(
            store: store ?? self.store,
            scheduled: Self.scheduled,
            processes: processes,
            relay: configuration,
            relayObservers: [self]
        )
        try builder.validate()
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let number = seed.wrappingAdd(1, ordering: .relaxed).newValue
        try await TestRelay.run(container.resolve(), clock: clock, seed: number) { relay in
            try await body(relay, container)
        }
    }

    /// Raises `event` in the stream `name` in a unit of work of its own.
    nonisolated(nonsending) func raise(
        _ event: some DurableDomainEvent,
        in name: String = "order",
        _ container: Container
    ) async throws {
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
        try await unitOfWork.execute { $0.raiseEvent(event, for: EntityReference(kind: "stream", key: name)) }
    }

    /// The commands that were carried out, in alphabetical order; each once.
    nonisolated(nonsending) func commands() async throws -> [String] {
        let commands = try await EntityContext(store).fetch(CarriedOut.self)
        #expect(commands.allSatisfy { $0.count == 1 }, "carried out more than once")
        return commands.map(\.id).sorted()
    }

    nonisolated(nonsending) func pendingCount() async throws -> Int {
        try await store.deliveryStatistics().pendingCount
    }
}

/// A store that holds the first read of a process in a delivery to `subscription` until another delivery has changed a process.
final class HoldingStore: StoreDecorator {
    let base: any DeliveryStore
    private let subscription: String
    private let gate = Gate()
    private let isHeld = Atomic(false)

    init(_ base: any DeliveryStore, holding subscription: String) {
        self.base = base
        self.subscription = subscription
    }

    /// Whether a read was held.
    var hasHeld: Bool { isHeld.load(ordering: .relaxed) }

    /// Returns when a read is held.
    func arrival() async { await gate.arrivals(1) }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        let document = try await base.find(reference)
        if reference.kind == StoredProcess.entityName, DeliveryContext.current?.subscription == subscription,
            !isHeld.exchange(true, ordering: .relaxed)
        {
            await gate.pass()
        }
        return document
    }

    func commit(_ changes: ChangeSet) async throws {
        try await base.commit(changes)
        if hasHeld, changes.writes.contains(where: { $0.document.reference.kind == StoredProcess.entityName }) {
            gate.open()
        }
    }
}
