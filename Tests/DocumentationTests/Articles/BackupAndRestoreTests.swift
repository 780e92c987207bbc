// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: String
    var raisedEvents = RaisedEvents()

    init(placing id: String) {
        self.id = id
        raiseEvent(OrderPlaced(order: id))
    }
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    let order: String
}

private struct SendConfirmation: DurableDomainEventHandler {
    static let subscriptionName = "confirmations"

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        let id = DeliveryContext.current?.messageID
        try resolver.require(DeliveryJournal.self).note("mail \(event.order) \(id?.uuidString ?? "")")
    }
}

private func backUp(_ path: String, to copy: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let source = try DatabaseQueue(path: path, configuration: configuration)
    let destination = try DatabaseQueue(path: copy)
    try source.backup(to: destination)
    try destination.close()
}

private func check(_ path: String) throws -> Bool {
    let file = try DatabaseQueue(path: path)
    return try file.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok"
}

private func restore(_ copy: String, to path: String) throws {
    let files = FileManager.default
    for ending in ["", "-wal", "-shm"] where files.fileExists(atPath: path + ending) {
        try files.moveItem(atPath: path + ending, toPath: path + ".old" + ending)
    }
    try files.copyItem(atPath: copy, toPath: path)
}

@Suite(.timeLimit(.minutes(2))) struct BackupAndRestoreTests {
    private let journal = DeliveryJournal()
    private let registrar: DomainEventHandlerRegistrar

    init() {
        let services = ServiceLocator()
        services.register(journal)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(SendConfirmation.self)
    }

    private func open(_ path: String) throws -> SQLiteStore {
        try SQLiteStore(path: path, entities: [Order.self])
    }

    private func place(_ ids: String..., in store: SQLiteStore) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            for id in ids { context.insert(Order(placing: id)) }
        }
    }

    private func makeRelay(on store: SQLiteStore) -> Relay {
        Relay(store: store, registrar: registrar, configuration: .withLongLeases, relayObservers: [journal])
    }

    private func orders(in store: SQLiteStore) async throws -> [String] {
        try await EntityContext(store).fetch(Order.self).map(\.id)
    }

    @Test func aBackupOfAnOpenStoreHasAllItsCommits() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/backup.sqlite")
            let store = try open(path)
            try await place("1", "2", in: store)

            try backUp(path, to: copy)

            try await place("3", in: store)
            #expect(try check(copy))
            #expect(try await orders(in: open(copy)) == ["1", "2"])
            #expect(try await orders(in: store) == ["1", "2", "3"])
        }
    }

    @Test func aBackupWithOneStatementHasAllCommitsToo() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/backup.sqlite")
            let store = try open(path)
            try await place("1", in: store)

            try await DatabaseQueue(path: path).writeWithoutTransaction { database in
                try database.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }

            let restored = try open(copy)
            #expect(try await orders(in: restored) == ["1"])
            try await place("2", in: restored)
            #expect(try await orders(in: restored) == ["1", "2"])
        }
    }

    @Test func aCopyOfTheMainFileAloneMissesCommits() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/copy.sqlite")
            let store = try open(path)
            try await place("1", in: store)

            try FileManager.default.copyItem(atPath: path, toPath: copy)

            #expect(try await orders(in: open(copy)) == [])
        }
    }

    @Test func aClosedStoreIsOneFile() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/copy.sqlite")
            let store = try open(path)
            try await place("1", in: store)
            try store.close()

            try FileManager.default.copyItem(atPath: path, toPath: copy)

            #expect(try await orders(in: open(copy)) == ["1"])
        }
    }

    @Test func pendingEventsOfTheBackupAreDeliveredAfterTheRestoreAgain() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/backup.sqlite")
            let store = try open(path)
            try await place("1", in: store)
            try backUp(path, to: copy)
            try await withRelay(makeRelay(on: store)) {
                await journal.wait("delivered")
            }
            try await place("2", in: store)
            try store.close()

            try restore(copy, to: path)

            let restored = try open(path)
            try await withRelay(makeRelay(on: restored)) {
                await journal.wait(for: 2, "delivered")
            }
            #expect(try await orders(in: restored) == ["1"])
            let mails = journal.all.filter { $0.hasPrefix("mail 1 ") }
            #expect(mails.count == 2)
            #expect(Set(mails).count == 1)
        }
    }

    @Test func aProgramThatStillRunsRefusesTheRestoredFile() async throws {
        try await withStoreFolder { folder in
            let (path, copy) = (folder + "/shop.sqlite", folder + "/backup.sqlite")
            let store = try open(path)
            try await place("1", in: store)
            try backUp(path, to: copy)

            try restore(copy, to: path)

            let error = await #expect(throws: StoreError.self) { try await place("2", in: store) }
            #expect(error?.code == .fileRemoved)
        }
    }
}
#endif
