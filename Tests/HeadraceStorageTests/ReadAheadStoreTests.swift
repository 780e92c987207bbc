// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

/// A command that changes one thing.
private struct Operation: SerializedCommand {
    var lockKeys: Set<String> { ["thing"] }
}

/// Runs operations of a store as serialized commands.
private struct Serializer: Sendable {
    private let serializing = SerializingMiddleware()

    nonisolated(nonsending) func run<Value>(_ body: @escaping () async throws -> Value) async throws -> Value {
        let context = MessageContext(kind: .command, type: Operation.self)
        let next = Next<Operation, Value>(in: context) { _ in try await body() }
        return try await serializing.handle(Operation(), in: context, next: next)
    }
}

/// A store on which each search by key, and each commit, is a serialized command.
private final class SerializedOperations: StoreDecorator {
    let base: any DeliveryStore
    private let serializer = Serializer()

    init(_ base: any DeliveryStore) {
        self.base = ReadAheadStore(base)
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await reading { [base] in try await base.find(reference) }
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await reading { [base] in try await base.find(all: references) }
    }

    func commit(_ changes: ChangeSet) async throws {
        try await serializer.run { [base] in try await base.commit(changes) }
    }

    /// Reads again if the read has met a pending change that is refused.
    private func reading<Value>(_ body: @escaping () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await serializer.run(body)
            } catch let error as StoreError where error.code == .versionConflict {}
        }
    }
}

/// A store whose commits wait at a gate, and are then refused.
private final class RefusingStore: StoreDecorator {
    struct Refused: Error {}

    let base: any DeliveryStore
    let gate = Gate()

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func commit(_ changes: ChangeSet) async throws {
        await gate.pass()
        throw Refused()
    }
}

@Suite struct ReadAheadStoreTests {
    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .inMemory))
    func fulfilsTheContractOfItsBase(check: StoreContract.Check) async throws {
        try await check.run { ReadAheadStore(try InMemoryStore(entities: $0)) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .inMemory))
    func fulfilsTheContractOfItsBaseForSerializedCommands(check: StoreContract.Check) async throws {
        try await check.run { SerializedOperations(try InMemoryStore(entities: $0)) }
    }

    @Test(.timeLimit(.minutes(1)))
    func aCommandWithoutACommitCountsOnlyIfTheChangesThatItHasReadAreStored() async throws {
        let schema = try EntitySchema(kinds: [
            EntitySchema.Kind(name: "thing", schemaVersion: 1, indexes: []) { _ in [] }
        ])
        let refusing = RefusingStore(InMemoryStore(schema: schema))
        let store = ReadAheadStore(refusing)
        let serializer = Serializer()
        let reference = EntityReference(kind: "thing", key: "a")
        var changes = ChangeSet()
        changes.writes = [
            ChangeSet.Write(
                document: StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: Data("{}".utf8))
            )
        ]
        let writer = Task { [changes] in try await serializer.run { try await store.commit(changes) } }
        await refusing.gate.arrivals(1)

        let error = await #expect(throws: StoreError.self) {
            try await serializer.run {
                let found = try await store.find(reference)
                refusing.gate.open()
                return found?.version
            }
        }

        #expect(error?.code == .versionConflict)
        await #expect(throws: RefusingStore.Refused.self) { try await writer.value }
        #expect(try await serializer.run { try await store.find(reference) } == nil)
    }
}
