// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Random servers, users, and ends of the program.
@Suite(.timeLimit(.minutes(5))) struct OutboxPropertyTests {
    /// A user who retries or discards rejected commands.
    private final class User: Sendable {
        private struct State {
            var numbers: SeededGenerator
            var discarded: Set<String> = []
        }

        private let state: Mutex<State>

        init(seed: UInt64) {
            state = Mutex(State(numbers: SeededGenerator(seed: seed)))
        }

        var discarded: Set<String> { state.withLock(\.discarded) }

        func retries(_ title: String) -> Bool {
            state.withLock { state in
                let isRetried = Bool.random(using: &state.numbers)
                if !isRetried { state.discarded.insert(title) }
                return isRetried
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func eachCommandThatIsNotDiscardedTakesEffectOnceInTheOrderOfItsKey(seed: UInt64) async throws {
        let store = try InMemoryStore(entities: [StoredOfflineCommand.self])
        let server = NoteServer()
        let luck = Mutex(SeededGenerator(seed: seed))
        server.behaves { _ in
            let number = luck.withLock { Int.random(in: 0..<10, using: &$0) }
            switch number {
            case 0: return .losesTheAnswer
            case 1: return .isUnreachable
            case 2: return .answers(500)
            case 3: return .answers(503, [.retryAfter: "7"])
            case 4: return .refuses
            default: return .works
            }
        }
        let width = 1 + Int(seed % 4)
        let offline = try offline(server, store, width: width)
        let user = User(seed: seed &+ 1)

        let lives = Task {
            // Each life of the program ends after some changes.
            while true {
                _ = try await live(with: try self.offline(server, store, width: width), changes: 40, as: user)
            }
        }
        for number in 0..<60 { try await offline.send(RenameNote(note: "\(number % 4)", title: "\(number)")) }
        lives.cancel()
        _ = await lives.result
        while try await live(with: try self.offline(server, store, width: width), changes: 40, as: user) {}

        let discarded = user.discarded
        for note in 0..<4 {
            let titles = server.titles(of: "\(note)").compactMap { Int($0) }
            #expect(titles == titles.sorted())
            #expect(Set(titles).count == titles.count)
            let expected = (0..<60).filter { $0 % 4 == note && !discarded.contains("\($0)") }
            #expect(Set(expected).isSubset(of: titles))
        }
    }

    /// Runs the program, until nothing is pending or there were `changes`.
    ///
    /// - Returns: Whether commands are left.
    private func live(with offline: OfflineDispatcher, changes: Int, as user: User) async throws -> Bool {
        let running = Task { try await offline.run() }
        defer { running.cancel() }
        var count = 0
        for try await pending in offline.observePending() {
            if pending.isEmpty { return false }
            count += 1
            if count == changes { return true }
            for command in pending where command.isRejected {
                let title = try #require(try command.command(as: RenameNote.self)).title
                if user.retries(title) {
                    try await offline.retry(command.id)
                } else {
                    try await offline.discard(command.id)
                }
            }
            if pending.contains(where: { $0.failure != nil }) { offline.wake() }
        }
        return false
    }

    private func offline(_ server: NoteServer, _ store: InMemoryStore, width: Int) throws -> OfflineDispatcher {
        let clock = TestClock()
        var settings = RemoteDispatcher.Configuration()
        settings.maximumAttempts = 1
        settings.clock = clock
        let api = MessageAPI([.put("notes/{note}", command: RenameNote.self)])
        var configuration = OfflineDispatcher.Configuration()
        configuration.width = width
        configuration.clock = clock
        return OfflineDispatcher(
            try RemoteDispatcher(api, at: "http://localhost", through: server, settings), on: store,
            configuration: configuration)
    }
}
#endif
