// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Sets, and dictionaries whose keys aren't strings, have another order in each copy.
@Suite(.timeLimit(.minutes(1))) struct UnorderedStateTests {
    private let store: InMemoryStore
    private let delegator = RecordingDelegator()

    init() throws {
        store = try InMemoryStore(entities: [Album.self])
    }

    private nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await UnitOfWork(delegator: delegator, context: EntityContext(store)).execute(body)
    }

    private nonisolated(nonsending) func version() async throws -> Int? {
        try await store.find(EntityReference(kind: "album", key: "a"))?.version
    }

    @Test func aHundredReadsDoNotChangeTheVersion() async throws {
        try await execute { $0.insert(Album("a", content: .full)) }

        for _ in 1...100 {
            let isThere = try await execute { try await $0.find(Album.self, id: "a")?.content == .full }
            #expect(isThere)
        }

        #expect(try await version() == 1)
    }

    @Test func aChangeWithinASetIsAChange() async throws {
        try await execute { $0.insert(Album("a", content: .full)) }

        try await execute { _ = try await $0.find(Album.self, id: "a")?.content.groups.remove([.rock]) }

        #expect(try await version() == 2)
        #expect(try await execute { try await $0.find(Album.self, id: "a")?.content.groups } == [[.jazz, .pop, .rock]])
    }

    /// Earlier versions have stored sets in the order of their hash tables.
    @Test func aDocumentInAnotherOrderIsReadWithoutAChange() async throws {
        let json = """
            {"content":{"groups":[["rock","pop","jazz"],["rock"]],"mark":{"genres":{"_0":["rock","jazz"]}},\
            "names":["d","c","b","a"],"notes":["rock",["x"],"jazz",["z","y"]],"places":[{"side":2,"track":1},7,\
            {"side":1,"track":1},8]},"id":"a"}
            """
        let document = StoredDocument(
            reference: EntityReference(kind: "album", key: "a"),
            version: 1,
            schemaVersion: 1,
            json: Data(json.utf8)
        )
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document)]))

        for _ in 1...20 {
            let content = try await execute { try await $0.find(Album.self, id: "a")?.content }
            #expect(content?.names == ["a", "b", "c", "d"])
            #expect(content?.notes == [.rock: ["x"], .jazz: ["y", "z"]])
        }

        #expect(try await version() == 1)
    }

    @Test func equalEventsAndScheduledCommandsHaveEqualBytes() async throws {
        for number in 1...9 {
            try await execute { context in
                let album = Album("\(number)", content: .full)
                context.insert(album)
                album.raiseEvent(Filled(content: album.content.copy))
            }
        }

        let events = try await store.events(after: 0, limit: 100)
        #expect(events.count == 9)
        #expect(Set(events.map(\.event.json)).count == 1)
    }

    @Test func aKeyedCommandWithASetReturnsItsFirstOutcome() async throws {
        struct Fill: Encodable, Sendable, IdempotentMessage {
            var content: Album.Content
            var idempotencyKey: String { "fill" }
        }
        let runs = Mutex(0)
        let chain = MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])

        for _ in 0...9 {
            let outcome = try await chain.run(Fill(content: Album.Content.full.copy), kind: .command) { _ in
                runs.withLock { runs in
                    runs += 1
                    return runs
                }
            }
            #expect(outcome == 1)
        }
        let error = await #expect(throws: IdempotencyError.self) {
            var other = Album.Content.full
            other.groups = []
            _ = try await chain.run(Fill(content: other), kind: .command) { _ in 2 }
        }

        #expect(error?.code == .differentCommand)
        #expect(runs.withLock(\.self) == 1)
    }

    /// The expected record is in the form that an earlier version has stored.
    @Test func theStoredFormOfACommandWithoutSetsIsUnchanged() async throws {
        struct Plain: Encodable, Sendable, IdempotentMessage {
            var name = "a/b"
            var at = Date(timeIntervalSinceReferenceDate: 0.5)
            var parts = ["x": [1, 2], "w": []]
            var idempotencyKey: String { "plain" }
        }
        let chain = MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: delegator)])
        let type = try #require(await typeName(of: Plain()))
        let record = IdempotencyRecord(
            key: "plain",
            command: Data(
                #"{"content":{"at":0.5,"name":"a/b","parts":{"w":[],"x":[1,2]}},"type":"\#(type)"}"#.utf8
            ),
            outcome: Data("[41]".utf8),
            date: Date()
        )
        var changes = ChangeSet()
        changes.idempotencyRecords = [record]
        try await store.commit(changes)

        let outcome = try await chain.run(Plain(), kind: .command) { _ in 42 }

        #expect(outcome == 41)
    }

    /// The name by which middleware identifies `message`.
    private nonisolated(nonsending) func typeName(of message: some Sendable) async throws -> String? {
        let names = Mutex<String?>(nil)
        try await MiddlewareChain(middleware: []).run(message, kind: .command) { _ in
            names.withLock { $0 = MessageContext.current?.typeName }
        }
        return names.withLock(\.self)
    }
}

private final class Album: StoredEntity {
    static let entityName = "album"

    enum Genre: String, Codable { case rock, pop, jazz }

    struct Place: Hashable, Codable {
        var side: Int
        var track: Int
    }

    enum Mark: Hashable, Codable {
        case genres(Set<Genre>)
        case none
    }

    struct Content: Hashable, Codable, Sendable {
        var names: Set<String>
        var groups: Set<Set<Genre>>
        var notes: [Genre: Set<String>]
        var places: [Place: Int]
        var mark: Mark?

        static var full: Content {
            Content(
                names: ["a", "b", "c", "d"],
                groups: [[.rock, .pop, .jazz], [.rock]],
                notes: [.rock: ["x"], .jazz: ["y", "z"], .pop: []],
                places: Dictionary(uniqueKeysWithValues: (1...9).map { (Place(side: $0, track: 10 - $0), $0) }),
                mark: .genres([.pop, .jazz, .rock])
            )
        }

        /// An equal value whose hash tables have another size.
        var copy: Content {
            var copy = self
            copy.names.reserveCapacity(Int.random(in: 0...200))
            copy.groups.reserveCapacity(Int.random(in: 0...200))
            copy.places.reserveCapacity(Int.random(in: 0...200))
            return copy
        }
    }

    let id: String
    var content: Content
    var raisedEvents = RaisedEvents()

    init(_ id: String, content: Content) {
        self.id = id
        self.content = content
    }
}

private struct Filled: DurableDomainEvent {
    static let eventName = "filled"
    var content: Album.Content
}
