// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import Headrace
import HeadraceStations
import Testing

private struct Settings: Codable, Equatable {
    var size = 10
    var theme = "light"
}

@Suite(.timeLimit(.minutes(1))) struct SharedDocumentTests {
    private enum Kind: CaseIterable { case memory, sqlite }

    /// Opens two stores with the same content, if the kind allows it.
    private func withStores(
        _ kind: Kind,
        _ test: (_ one: any EntityStore, _ other: any EntityStore) async throws -> Void
    ) async throws {
        let entities: [any StoredEntity.Type] = [StoredSharedState.self]
        switch kind {
        case .memory:
            let store = try InMemoryStore(entities: entities)
            try await test(store, store)
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.appending(path: "store.sqlite").path()
            let one = try SQLiteStore(path: path, entities: entities)
            let other = try SQLiteStore(path: path, entities: entities)
            try await test(one, other)
            try one.close()
            try other.close()
        }
    }

    @Test(arguments: Kind.allCases)
    private func aSavedValueIsReadByAnotherProgram(kind: Kind) async throws {
        try await withStores(kind) { one, other in
            let settings = try await SharedState(in: SharedDocument("settings", of: one), default: Settings())
            settings.update { $0.size = 12 }
            try await settings.save()

            let again = try await SharedState(in: SharedDocument("settings", of: other), default: Settings())
            let unrelated = try await SharedState(in: SharedDocument("other", of: other), default: Settings())
            #expect(again.value == Settings(size: 12))
            #expect(unrelated.value == Settings())
        }
    }

    @Test(arguments: Kind.allCases)
    private func concurrentWritersLoseNothing(kind: Kind) async throws {
        try await withStores(kind) { one, other in
            try await withThrowingTaskGroup { group in
                for store in [one, other, one, other] {
                    group.addTask {
                        let count = try await SharedState(in: SharedDocument("count", of: store), default: 0) {
                            base, mine, theirs in theirs + mine - base
                        }
                        for _ in 0..<25 {
                            count.update { $0 += 1 }
                            try await count.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await SharedState(in: SharedDocument("count", of: one), default: 0)
            #expect(count.value == 100)
        }
    }

    @Test(arguments: Kind.allCases)
    private func contentOfAnotherTypeIsAnErrorAndIsKept(kind: Kind) async throws {
        try await withStores(kind) { one, other in
            _ = try await SharedDocument<String>("settings", of: one).replace { _ in "text" }

            let storage = SharedDocument<Settings>("settings", of: other)
            let loading = await #expect(throws: SharedStateError.self) { _ = try await storage.load() }
            let saving = await #expect(throws: SharedStateError.self) {
                _ = try await storage.replace { _ in Settings() }
            }

            #expect([loading?.code, saving?.code] == [.damaged, .damaged])
            #expect(try await SharedDocument<String>("settings", of: one).load() == "text")
        }
    }

    @Test(arguments: Kind.allCases)
    private func aValueThatCannotBeEncodedIsAnErrorAndTheDocumentIsKept(kind: Kind) async throws {
        try await withStores(kind) { one, _ in
            let storage = SharedDocument<[Double]>("numbers", of: one)
            _ = try await storage.replace { _ in [1] }

            let error = await #expect(throws: SharedStateError.self) {
                _ = try await storage.replace { _ in [.infinity] }
            }

            #expect(error?.code == .unencodable)
            #expect(error?.message.contains("can't be encoded") == true)
            #expect(try await storage.load() == [1])
        }
    }

    @Test func aStoreIsOpenedWithTheEntityOfSharedStates() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()

        let store = try SQLiteStore(path: path, entities: [StoredSharedState.self])
        let settings = try await SharedState(in: SharedDocument("settings", of: store), default: Settings())

        #expect(settings.value == Settings())
        try store.close()
    }

    @Test func aStoreWithoutTheEntityIsAnErrorWithTheRemedy() async throws {
        let store = try InMemoryStore(entities: [])
        let error = await #expect(throws: SharedStateError.self) {
            _ = try await SharedDocument<Settings>("settings", of: store).load()
        }

        #expect(error?.code == .unavailable)
        #expect((error?.cause as? StoreError)?.code == .undeclaredEntity)
        #expect(error?.message.contains("add 'Headrace.StoredSharedState.self' to the 'entities'") == true)
    }
}
#endif
