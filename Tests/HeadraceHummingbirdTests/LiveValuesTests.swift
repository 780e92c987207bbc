// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceHummingbird

@Suite(.timeLimit(.minutes(1))) struct LiveValuesTests {
    private typealias Events = AsyncThrowingStream<ServerSentEvent?, any Error>.AsyncIterator

    private let store: InMemoryStore
    private let live: LiveValues

    /// Number of evaluations that have begun.
    private let evaluations = Tally()

    init() throws {
        store = try InMemoryStore(entities: [Vote.self])
        live = LiveValues(of: store)
    }

    private func vote() async throws {
        let context = EntityContext(store)
        context.insert(Vote())
        try await context.commit([])
    }

    /// Observes the number of votes.
    private func observe(
        _ query: Votes = Votes(),
        as principal: (any Principal)? = nil,
        after lastID: String? = nil,
        before: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Events {
        let (store, evaluations) = (store, evaluations)
        return try await MessageContext.withPrincipal(principal) {
            try live.events(of: query, after: lastID) {
                evaluations.add()
                let count = try await EntityContext(store).count(Vote.self)
                try await before()
                return Data("\(count)".utf8)
            }.makeAsyncIterator()
        }
    }

    @Test func aThousandReadersOfOneQueryCauseOneEvaluationForAChange() async throws {
        var readers: [Events] = []
        for _ in 1...1_000 { readers.append(try await observe()) }
        for index in readers.indices { #expect(try await readers[index].next()??.value == "0") }
        let before = evaluations.count

        try await vote()
        for index in readers.indices { #expect(try await readers[index].next()??.value == "1") }

        #expect(evaluations.count == before + 1)
        #expect(live.count == 1)
    }

    @Test func readersWhoComeTogetherShareAnEvaluation() async throws {
        let gate = Gate()
        var first = try await observe { await gate.pass() }
        await evaluations.reached(1)
        var others: [Events] = []
        for _ in 1...100 { others.append(try await observe()) }

        gate.open()
        #expect(try await first.next()??.value == "0")
        for index in others.indices { #expect(try await others[index].next()??.value == "0") }

        #expect(evaluations.count == 2)
    }

    @Test func aReaderReceivesNoValueThatWasReadBeforeItCame() async throws {
        let gate = Gate()
        var first = try await observe { await gate.pass() }
        await evaluations.reached(1)

        // The running evaluation has read 0, and the reader may have seen 1 on another server.
        try await vote()
        var second = try await observe()
        gate.open()

        #expect(try await second.next()??.value == "1")
        #expect(try await first.next()??.value == "1")
    }

    @Test func aSlowReaderMissesValuesAndReceivesTheLast() async throws {
        var slow = try await observe()
        var fast = try await observe()
        #expect(try await slow.next()??.value == "0")
        #expect(try await fast.next()??.value == "0")

        for number in 1...20 {
            try await vote()
            #expect(try await fast.next()??.value == "\(number)")
        }

        // The value before the last can still be on its way.
        var seen: [String?] = []
        while seen.last != "20" { seen.append(try await slow.next()??.value) }
        #expect(seen.count <= 2)
    }

    @Test func aReaderThatHasTheCurrentValueReceivesTheNextChangeOnly() async throws {
        var first = try await observe()
        let id = try #require(try await first.next()??.id)
        try await vote()
        let next = try #require(try await first.next()??.id)

        var current = try await observe(after: next)
        var outdated = try await observe(after: id)
        var stranger = try await observe(after: "another-1")

        #expect(try await current.next() == .some(nil))
        #expect(try await outdated.next()??.value == "1")
        #expect(try await stranger.next()??.value == "1")
        try await vote()
        #expect(try await current.next()??.value == "2")
    }

    @Test func onlyEqualQueriesOfEqualPrincipalsShareAnEvaluation() async throws {
        var events: [Events] = []
        for principal: (any Principal)? in [
            nil, Citizen(principalID: "a", isAdult: true), Citizen(principalID: "a", isAdult: true),
            Citizen(principalID: "a", isAdult: false), Stranger(principalID: "a"), Stranger(principalID: "a"),
        ] {
            events.append(try await observe(as: principal))
        }
        events.append(try await observe(Votes(party: 1)))

        #expect(live.count == 6)
        for index in events.indices { #expect(try await events[index].next()??.value == "0") }
    }

    @Test func anErrorReachesAllReadersAndTheNextReaderTriesAgain() async throws {
        let fails = Mutex(false)
        var readers: [Events] = []
        for _ in 1...3 {
            readers.append(try await observe { if fails.withLock({ $0 }) { throw Refused() } })
        }
        for index in readers.indices { #expect(try await readers[index].next()??.value == "0") }
        fails.withLock { $0 = true }

        try await vote()

        for index in readers.indices {
            await #expect(throws: Refused.self) { _ = try await readers[index].next() }
        }
        var next = try await observe()
        #expect(try await next.next()??.value == "1")
    }

    @Test func theEndOfTheLastReaderReleasesTheEvaluation() async throws {
        let released = Gate()
        do {
            let token = Token(released)
            var events = try await observe { withExtendedLifetime(token) {} }
            #expect(try await events.next()??.value == "0")
        }

        await released.pass()
    }

    @Test func anEvaluationHasThePrincipalAndNeitherTheCauseNorTheDeadlineOfItsFirstReader() async throws {
        let contexts = Mutex<[MessageContext]>([])
        let cause = MessageContext(kind: .request, type: Vote.self)
        var events = try await MessageContext.withCurrent(cause) {
            try await MessageContext.withDeadline(.now) {
                try await observe(as: Citizen(principalID: "a", isAdult: true)) {
                    contexts.withLock { $0.append(MessageContext(kind: .query, type: Votes.self)) }
                }
            }
        }
        #expect(try await events.next()??.value == "0")

        let context = try #require(contexts.withLock { $0 }.first)
        #expect(context.principal?.principalID == "a")
        #expect(context.causationID == nil)
        #expect(context.deadline == nil)
    }

    @Test func aQueryThatReadsNothingThroughAContextIsEvaluatedAfterEachCommit() async throws {
        let values = Tally()
        var events = try live.events(of: Votes(), after: nil) {
            values.add()
            return Data("\(values.count)".utf8)
        }.makeAsyncIterator()
        #expect(try await events.next()??.value == "1")

        try await vote()

        #expect(try await events.next()??.value == "2")
    }

    @Test func whateverHappensAtTheSameTimeEachReaderEndsWithTheLastValue() async throws {
        for _ in 1...50 {
            let live = LiveValues(of: store)
            let (store, total) = (store, 5)
            let before = try await EntityContext(store).count(Vote.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...total { group.addTask { try await self.vote() } }
                for _ in 1...8 {
                    group.addTask {
                        let events = try live.events(of: Votes(), after: nil) {
                            Data("\(try await EntityContext(store).count(Vote.self))".utf8)
                        }
                        var last = -1
                        for try await event in events {
                            let value = try #require(event?.value.flatMap { Int($0) })
                            #expect(value > last)
                            last = value
                            if value == before + total { return }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

private final class Vote: StoredEntity {
    static let entityName = "vote"
    let id: UUID
    var raisedEvents = RaisedEvents()

    init() {
        id = .version7()
    }
}

private struct Votes: CQDQuery, Codable {
    typealias Value = Int
    var party: Int?
}

private struct Citizen: Principal, Equatable {
    let principalID: String
    let isAdult: Bool
}

private struct Stranger: Principal {
    let principalID: String
}

private struct Refused: Error {}

private final class Token: Sendable {
    private let released: Gate

    init(_ released: Gate) {
        self.released = released
    }

    deinit {
        released.open()
    }
}

/// Counts calls.
private final class Tally: Sendable {
    private let state = ConditionVariable(0)

    var count: Int { state.value }

    func add() { state.change { $0 += 1 } }
    func reached(_ count: Int) async { await state.wait { $0 >= count } }
}

extension ServerSentEvent {
    fileprivate var value: String? { line("data: ") }
    fileprivate var id: String? { line("id: ") }

    private func line(_ prefix: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
#endif
