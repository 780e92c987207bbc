// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(4))) struct OfflineDispatcherTests {
    private let store: InMemoryStore
    private let server = NoteServer()
    private let clock = TestClock()

    init() throws {
        store = try InMemoryStore(entities: [StoredOfflineCommand.self])
    }

    private func offline(
        _ api: MessageAPI = MessageAPI([.put("notes/{note}", command: RenameNote.self)]),
        on store: (any ObservableStore)? = nil,
        width: Int = 4,
        middleware: [any Middleware] = []
    ) throws -> OfflineDispatcher {
        var settings = RemoteDispatcher.Configuration()
        settings.maximumAttempts = 1
        settings.middleware = middleware
        settings.clock = clock
        let remote = try RemoteDispatcher(api, at: "http://localhost", through: server, settings)
        var configuration = OfflineDispatcher.Configuration()
        configuration.backoff = Backoff(base: .seconds(1), factor: 2, longest: .seconds(60), jitter: 0)
        configuration.width = width
        configuration.clock = clock
        return OfflineDispatcher(remote, on: store ?? self.store, configuration: configuration)
    }

    /// Runs `offline` until `isEnd` accepts the pending commands; then runs `body`.
    private func run(
        _ offline: OfflineDispatcher,
        until isEnd: @Sendable ([PendingCommand]) -> Bool = \.isEmpty,
        _ body: () async throws -> Void = {}
    ) async throws {
        let running = Task { try await offline.run() }
        defer { running.cancel() }
        try await wait(for: offline, isEnd)
        try await body()
    }

    private func wait(
        for offline: OfflineDispatcher,
        _ isEnd: @Sendable ([PendingCommand]) -> Bool = \.isEmpty
    ) async throws {
        for try await pending in offline.observePending() where isEnd(pending) { return }
    }

    // MARK: Order

    @Test(arguments: [1, 4, 100]) func commandsOfOneKeyTakeEffectInTheirOrder(width: Int) async throws {
        let offline = try offline(width: width)
        for number in 1...90 { try await offline.send(RenameNote(note: "n\(number % 3)", title: "\(number)")) }

        try await run(offline)

        for note in 0..<3 {
            let titles = server.titles(of: "n\(note)").compactMap { Int($0) }
            #expect(titles == titles.sorted())
            #expect(titles.count == 30)
        }
    }

    @Test func aCommandBehindManyRejectedOnesIsSent() async throws {
        server.behaves { $0.note == "bad" ? .refuses : .works }
        let offline = try offline()
        for number in 1...250 { try await offline.send(RenameNote(note: "bad", title: "\(number)")) }
        try await offline.send(RenameNote(note: "good", title: "x"))

        try await run(offline) { $0.count == 250 && $0[0].isRejected }

        #expect(server.titles(of: "good") == ["x"])
        #expect(server.sent.count == 2)
    }

    // MARK: Rejections

    @Test func aRejectionStopsOnlyItsKey() async throws {
        server.behaves { $0.title == "bad" ? .refuses : .works }
        let offline = try offline()
        for title in ["bad", "later"] { try await offline.send(RenameNote(note: "a", title: title)) }
        try await offline.send(RenameNote(note: "b", title: "good"))

        try await run(offline) { $0.count == 2 && $0[0].isRejected }

        let pending = try await offline.pending
        #expect(pending.map(\.isRejected) == [true, false])
        #expect(pending.first?.failure?.code == "no")
        #expect(try pending.first?.command(as: RenameNote.self)?.title == "bad")
        #expect(server.titles(of: "b") == ["good"])
        #expect(server.titles(of: "a").isEmpty)
    }

    @Test func aDiscardedRejectionLetsTheCommandsAfterItGoOn() async throws {
        server.behaves { $0.title == "bad" ? .refuses : .works }
        let offline = try offline()
        let bad = try await offline.send(RenameNote(note: "a", title: "bad"))
        try await offline.send(RenameNote(note: "a", title: "later"))

        try await run(offline, until: { $0.first?.isRejected == true }) {
            try await offline.discard(bad)
            try await wait(for: offline)
        }

        #expect(server.titles(of: "a") == ["later"])
    }

    @Test func aRetriedRejectionIsSentAgainWithItsKey() async throws {
        server.behaves { _ in .refuses }
        let offline = try offline()
        let bad = try await offline.send(RenameNote(note: "a", title: "bad"))

        try await run(offline, until: { $0.first?.isRejected == true }) {
            server.behaves { _ in .works }
            try await offline.retry(bad)
            try await wait(for: offline)
        }

        #expect(server.titles(of: "a") == ["bad"])
        #expect(server.sent.map(\.key) == Array(repeating: "\"\(bad.uuidString.lowercased())\"", count: 2))
    }

    @Test func anErrorBeforeTheRequestRejectsTheCommand() async throws {
        struct Refused: Error {}
        struct Refusal: Middleware {
            nonisolated(nonsending) func handle<Message: Sendable, Output>(
                _ message: Message,
                in context: MessageContext,
                next: Next<Message, Output>
            ) async throws -> Output {
                throw Refused()
            }
        }
        let offline = try offline(middleware: [Refusal()])
        try await offline.send(RenameNote(note: "a", title: "x"))

        try await run(offline) { $0.first?.isRejected == true }

        #expect(try await offline.pending.first?.failure?.code == "Refused")
        #expect(server.sent.isEmpty)
    }

    // MARK: Failures

    @Test(arguments: [NoteServer.Behaviour.losesTheAnswer, .isUnreachable, .answers(401), .answers(500), .answers(503)])
    func aCommandWithoutAnOutcomeIsSentAgainWithItsKeyAfterAPause(behaviour: NoteServer.Behaviour) async throws {
        server.behaves { _ in behaviour }
        let offline = try offline()
        try await offline.send(RenameNote(note: "a", title: "x"))

        try await run(offline, until: { $0.first?.attempts == 1 }) {
            await clock.waitForSleepers(1)
            #expect(try await offline.pending.first?.isRejected == false)
            server.behaves { _ in .works }
            clock.advance(by: .seconds(1))
            try await wait(for: offline)
        }

        #expect(server.titles(of: "a") == ["x"])
        #expect(server.sent.count == 2)
        #expect(Set(server.sent.map(\.key)).count == 1)
    }

    @Test func aCommandThatTheServerCanNotHandleStopsNoOtherKey() async throws {
        server.behaves { $0.note.hasPrefix("ill") ? .answers(500) : .works }
        let offline = try offline(width: 1)
        for note in ["ill 1", "ill 2", "well 1", "well 2"] {
            for title in ["x", "y"] { try await offline.send(RenameNote(note: note, title: title)) }
        }

        try await run(offline) { $0.count == 4 && $0.filter { $0.attempts == 1 }.count == 2 }

        for note in ["well 1", "well 2"] { #expect(server.titles(of: note) == ["x", "y"]) }
        #expect(server.sent.count == 6)
    }

    @Test func withoutAServerAllCommandsPauseLongerAndLonger() async throws {
        server.behaves { _ in .isUnreachable }
        let offline = try offline(width: 1)
        for note in 1...5 { try await offline.send(RenameNote(note: "\(note)", title: "x")) }
        let attempts: @Sendable ([PendingCommand]) -> Int = { $0.reduce(0) { $0 + $1.attempts } }

        try await run(offline, until: { attempts($0) == 1 }) {
            for (failures, pause) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(pause) - .milliseconds(1))
                #expect(server.sent.count == failures)
                clock.advance(by: .milliseconds(1))
                try await wait(for: offline) { attempts($0) == failures + 1 }
            }
        }
    }

    @Test func thePauseIsAsLongAsTheServerSays() async throws {
        server.behaves { _ in .answers(503, [.retryAfter: "30"]) }
        let offline = try offline()
        try await offline.send(RenameNote(note: "a", title: "x"))

        try await run(offline, until: { $0.first?.attempts == 1 }) {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(29))
            #expect(server.sent.count == 1)
            clock.advance(by: .seconds(1))
            try await wait(for: offline) { $0.first?.attempts == 2 }
        }
    }

    @Test func aHintEndsThePause() async throws {
        server.behaves { _ in .isUnreachable }
        let offline = try offline()
        try await offline.send(RenameNote(note: "a", title: "x"))

        try await run(offline, until: { $0.first?.attempts == 1 }) {
            server.behaves { _ in .works }
            offline.wake()
            try await wait(for: offline)
        }
    }

    @Test func anErrorOfTheStoreEndsTheRunAndLosesNothing() async throws {
        let failing = FailingStore(store)
        let first = try offline(on: failing)
        try await first.send(RenameNote(note: "a", title: "x"))
        failing.isFull = true

        await #expect(throws: StoreError.self) { try await first.run() }
        failing.isFull = false
        try await run(first)

        #expect(server.titles(of: "a") == ["x"])
        #expect(server.sent.count == 2)
    }

    @Test func aChangeOfTheUserDuringAnAttemptIsNoError() async throws {
        server.behaves { _ in .answers(500) }
        let racing = FailingStore(store)
        let (offline, user) = (try offline(on: racing), try offline())
        let id = try await offline.send(RenameNote(note: "a", title: "x"))
        racing.beforeNextCommit { try await user.discard(id) }

        try await run(offline, until: \.isEmpty) {
            server.behaves { _ in .works }
            try await offline.send(RenameNote(note: "a", title: "y"))
            try await wait(for: offline)
        }

        #expect(server.titles(of: "a") == ["y"])
    }

    // MARK: Units of work, other runs, and other versions

    @Test func aCommandIsStoredWithTheUnitOfWorkOrNotAtAll() async throws {
        let offline = try offline()
        await #expect(throws: CancellationError.self) {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { _ in
                try await offline.send(RenameNote(note: "a", title: "x"))
                throw CancellationError()
            }
        }

        #expect(try await offline.pending.isEmpty)
    }

    @Test func commandsOfOneUnitOfWorkKeepTheirOrder() async throws {
        let offline = try offline()
        try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { _ in
            for title in 1...9 { try await offline.send(RenameNote(note: "a", title: "\(title)")) }
        }

        try await run(offline)

        #expect(server.titles(of: "a") == (1...9).map { "\($0)" })
    }

    @Test func anotherRunOfTheProgramGoesOn() async throws {
        server.behaves { _ in .losesTheAnswer }
        let first = try offline()
        try await first.send(RenameNote(note: "a", title: "x"))
        try await run(first) { $0.first?.attempts == 1 }

        server.behaves { _ in .works }
        try await run(try offline())

        #expect(server.titles(of: "a") == ["x"])
        #expect(Set(server.sent.map(\.key)).count == 1)
    }

    @Test func aCancelledRunEndsItsRequestsAndCanBeRepeated() async throws {
        server.behaves { _ in .isSilent }
        let offline = try offline()
        for note in 1...4 { try await offline.send(RenameNote(note: "\(note)", title: "x")) }
        let running = Task { try await offline.run() }
        await server.waitForRequests(4)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await offline.pending.map(\.attempts) == [0, 0, 0, 0])

        server.behaves { _ in .works }
        try await run(offline)

        for note in 1...4 { #expect(server.titles(of: "\(note)") == ["x"]) }
    }

    private enum Second {
        struct RenameNote: OfflineCommand {
            static let commandName = "rename-note"
            static let commandVersion = 2
            static let commandMigrations = [JSONMigration(from: 1) { $0["title"] = .string("migrated") }]
            let note: String
            let title: String

            var orderKey: String { note }
        }

        static let api = MessageAPI([.put("notes/{note}", command: RenameNote.self)])
    }

    @Test func aNewVersionOfTheProgramMigratesTheCommandsOfTheOldOne() async throws {
        try await offline().send(RenameNote(note: "a", title: "x"))
        let new = try offline(Second.api)

        #expect(try await new.pending.first?.command(as: Second.RenameNote.self)?.title == "migrated")
        try await run(new)

        #expect(server.titles(of: "a") == ["migrated"])
        #expect(server.sent.first?.fields[try #require(HTTPField.Name("Headrace-Version"))] == "2")
    }

    @Test func anOldVersionOfTheProgramKeepsTheCommandsOfTheNewOne() async throws {
        try await offline(Second.api).send(Second.RenameNote(note: "a", title: "x"))
        try await offline(Second.api).send(Second.RenameNote(note: "b", title: "y"))
        let old = try offline()
        let older = try offline(MessageAPI([]))

        try await run(old) { $0.allSatisfy { $0.attempts == 1 } }
        try await run(older) { $0.allSatisfy { $0.attempts == 2 } }

        #expect(server.sent.isEmpty)
        #expect(try await old.pending.allSatisfy { !$0.isRejected && $0.failure != nil })
        try await run(try offline(Second.api))
        #expect(server.titles(of: "a") + server.titles(of: "b") == ["x", "y"])
    }

    @Test func theStoredFormOfACommandDoesNotChange() async throws {
        let written = #"""
            {"attempts":2,"failure":{"code":"no","message":"No."},"id":"018BCFE5-6800-7000-8000-000000000001","isAcknowledged":false,"isRejected":true,\#
            "json":"{\"note\":\"a\",\"title\":\"x\"}","name":"rename-note","number":7,"orderKey":"a",\#
            "origin":{"causationID":"018BCFE5-6800-7000-8000-000000000002","trace":{}},"sentAt":1700000000,"version":1}
            """#
        let command = try DocumentCoding.decode(StoredOfflineCommand.self, from: Data(written.utf8))

        #expect(String(decoding: try DocumentCoding.encode(command), as: UTF8.self) == written)
    }

    // MARK: The chain of causes

    @Test func theRequestBelongsToTheMessageThatSentTheCommand() async throws {
        let causes = Causes()
        let offline = try offline(middleware: [CauseRecorder(causes: causes)])
        let tap = MessageContext(kind: .action, type: Self.self)
        try await MessageContext.withCurrent(tap) {
            _ = try await offline.send(RenameNote(note: "a", title: "x"))
        }

        try await run(offline)

        let correlation = try #require(HTTPField.Name("Headrace-Correlation"))
        #expect(causes.values.withLock(\.self) == [tap.id])
        #expect(server.sent.first?.fields[correlation] == tap.correlationID.uuidString.lowercased())
    }

    private final class Causes: Sendable {
        let values = Mutex<[UUID?]>([])
    }

    private struct CauseRecorder: Middleware {
        let causes: Causes

        nonisolated(nonsending) func handle<Message: Sendable, Output>(
            _ message: Message,
            in context: MessageContext,
            next: Next<Message, Output>
        ) async throws -> Output {
            causes.values.withLock { $0.append(context.causationID) }
            return try await next(message)
        }
    }
}

/// A store whose commits fail as those on a full disk, or meet another commit.
private final class FailingStore: ObservableStore {
    private let base: InMemoryStore
    private let full = Atomic(false)
    private let first = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// Runs `body` before the next commit.
    func beforeNextCommit(_ body: @escaping @Sendable () async throws -> Void) { first.withLock { $0 = body } }

    var isFull: Bool {
        get { full.load(ordering: .relaxed) }
        set { full.store(newValue, ordering: .relaxed) }
    }

    init(_ base: InMemoryStore) { self.base = base }

    var schema: EntitySchema { base.schema }
    var commitFeed: CommitFeed { base.commitFeed }

    func find(_ reference: EntityReference) async throws -> StoredDocument? { try await base.find(reference) }
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] { try await base.fetch(query) }
    func snapshot() async throws -> any EntityReader { try await base.snapshot() }
    func close() throws {}

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }

    func commit(_ changes: ChangeSet) async throws {
        let before = first.withLock { first in
            defer { first = nil }
            return first
        }
        try await before?()
        if isFull { throw StoreError(code: .full, message: "Full.") }
        try await base.commit(changes)
    }
}
#endif
