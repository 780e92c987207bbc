// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceResolution
import Synchronization
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

/// A store with wallets.
struct WalletFixture {
    let store: InMemoryStore
    let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

    init() throws {
        store = try InMemoryStore(entities: [Wallet.self])
    }

    nonisolated(nonsending) func work<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await UnitOfWork(on: store, delegator: registrar).execute(body)
    }

    /// Opens a wallet, and makes one deposit of 1 cent in each of `count` units of work.
    nonisolated(nonsending) func open(_ id: String = "a", owner: String = "Ada", deposits count: Int = 0) async throws {
        try await work { $0.insert(Wallet.open(id, owner: owner)) }
        for _ in 0..<count { try await add(1, to: id) }
    }

    nonisolated(nonsending) func add(_ cents: Int, to id: String = "a") async throws {
        try await work { try await $0.find(Wallet.self, id: id)?.add(cents) }
    }

    nonisolated(nonsending) func remove(_ id: String = "a") async throws {
        try await work { $0.delete(try #require(try await $0.find(Wallet.self, id: id))) }
    }

    nonisolated(nonsending) func balance(of id: String = "a") async throws -> Int? {
        try await EntityContext(store).find(Wallet.self, id: id)?.balance
    }

    /// The documents of all streams.
    nonisolated(nonsending) func streamDocuments() async throws -> [StoredDocument] {
        try await store.fetch(DocumentQuery(kind: "wallet.stream"))
    }

    /// The number of the event or the name of the snapshot of each stream document.
    nonisolated(nonsending) func streamKeys() async throws -> [String] {
        try await streamDocuments().map { document in
            let name = document.reference.key.split(separator: "/").last.map(String.init) ?? ""
            return Int(name).map(String.init) ?? name
        }
    }

    /// Replaces the stream document with the name `name`.
    nonisolated(nonsending) func replace(
        _ name: String,
        json: String? = nil,
        schemaVersion: Int? = nil
    ) async throws {
        for document in try await streamDocuments() where document.reference.key.hasSuffix(name) {
            try await store.commit(
                ChangeSet(deletions: [ChangeSet.Deletion(reference: document.reference, expectedVersion: 1)]))
            let replacement = StoredDocument(
                reference: document.reference,
                version: 1,
                schemaVersion: schemaVersion ?? document.schemaVersion,
                json: json.map { Data($0.utf8) } ?? document.json
            )
            try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: replacement)]))
        }
    }

    /// Deletes the stream document with the name `name`.
    nonisolated(nonsending) func delete(_ name: String) async throws {
        for document in try await streamDocuments() where document.reference.key.hasSuffix(name) {
            try await store.commit(
                ChangeSet(deletions: [ChangeSet.Deletion(reference: document.reference, expectedVersion: 1)]))
        }
    }
}

/// A store that counts the documents that it returns, and runs code before it reads streams.
final class CountingStore: StoreDecorator, ObservableStore {
    let base: any DeliveryStore
    let commitFeed: CommitFeed
    private let counts = Mutex((reads: 0, documents: 0))
    private let beforeStreams = Mutex<(body: @Sendable () async throws -> Void, isRepeated: Bool)?>(nil)

    init(_ base: InMemoryStore) {
        self.base = base
        commitFeed = base.commitFeed
    }

    /// Number of reads by reference, and of the documents that they returned.
    var read: [Int] { counts.withLock { [$0.reads, $0.documents] } }

    /// Runs `body` once, before the next read of a stream.
    func beforeNextStream(_ body: @escaping @Sendable () async throws -> Void) {
        beforeStreams.withLock { $0 = (body, false) }
    }

    /// Runs `body` before each later read of a stream.
    func beforeEachStream(_ body: @escaping @Sendable () async throws -> Void) {
        beforeStreams.withLock { $0 = (body, true) }
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await find(all: [reference]).first
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        if references.contains(where: { $0.kind.hasSuffix(".stream") }) {
            let body = beforeStreams.withLock { hook in
                defer { if hook?.isRepeated == false { hook = nil } }
                return hook?.body
            }
            try await body?()
        }
        let documents = try await base.find(all: references)
        counts.withLock { $0 = ($0.reads + 1, $0.documents + documents.count) }
        return documents
    }
}

/// Returns the error of type `type` that `operation` must throw.
nonisolated(nonsending) func caught<Caught: Error, Result>(
    _ type: Caught.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ operation: nonisolated(nonsending) () async throws -> Result
) async -> Caught? {
    do {
        _ = try await operation()
        Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
    } catch {
        #expect(error is Caught, "\(error)", sourceLocation: sourceLocation)
        return error as? Caught
    }
    return nil
}
