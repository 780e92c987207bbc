// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication
import LedgerJournal
import LedgerTestSupport
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
        @Test func aStreamStartsWithTheWholeStateAndContinuesWithChanges() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.transfer("1 EUR")
                try await server.listen { events in
                    let state = try await events.first("state", as: StateEvent.self) { _ in true }
                    #expect(state.transactions <= 1)

                    try await server.transfer("2 EUR", to: "rent")
                    let change = try await events.first("balances", as: BalancesEvent.self) { $0.transactions == 2 }
                    #expect(change.balances.contains { $0.account == "rent" && $0.amounts.map(\.quantity) == ["2"] })

                    _ = try await server.upload("2026-01-01 x\n    rent  5 EUR\n    cash\n")
                    let end = try await events.first("import", as: ImportResponse.self) { $0.state == "finished" }
                    #expect(end.posted == 1)
                }
            }
        }

        @Test func allListenersReceiveTheSameFinalBalances() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await withThrowingTaskGroup(of: [String: [AmountResponse]].self) { group in
                    for _ in 1...6 {
                        group.addTask {
                            try await server.listen { events in
                                var balances: [String: [AmountResponse]] = [:]
                                while let event = try await events.next() {
                                    let told = try event.json(BalancesEvent.self)
                                    for balance in told.balances { balances[balance.account] = balance.amounts }
                                    if told.transactions == 60 { break }
                                }
                                return balances
                            }
                        }
                    }
                    for number in 1...60 { try await server.transfer("\(number) EUR", to: "t\(number % 7)") }
                    let expected = try await server.get("/api/balances").json(BalancesResponse.self).balances
                    for try await balances in group {
                        #expect(balances == Dictionary(uniqueKeysWithValues: expected.map { ($0.account, $0.amounts) }))
                    }
                }
            }
        }

        @Test func importsOfAnotherProcessAreStreamed() async throws {
            let folder = try TestFolder()
            let location = folder.location
            try await TestServer.with(in: folder) { server in
                try await server.listen { events in
                    _ = try await events.first("state", as: StateEvent.self) { _ in true }

                    // Another store on the same database, as in another process.
                    let store = try await location.open()
                    let dispatcher: any CommandQueryDispatcher = try LedgerComposition.makeContainer(on: store.base)
                        .resolve()
                    let text = "2026-01-01 x\n    a  7 EUR\n    b\n"
                    let journal = try JournalParser().parse(Array(text.utf8), file: "cli.journal")
                    try await dispatcher.dispatch(
                        ImportJournal(journal, named: "cli.journal", content: Fingerprint(bytes: Array(text.utf8))))

                    let change = try await events.first("balances", as: BalancesEvent.self) { $0.transactions == 1 }
                    #expect(change.balances.map(\.account) == ["a", "b"])
                    try store.close()
                }
            }
        }

        @Test func streamsBeyondTheLimitAreRefusedUntilOneEnds() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.eventStreams = 2
                $0.limits.heartbeat = .milliseconds(20)
            } _: { server in
                try await server.listen { events in
                    _ = try await events.next()
                    try await server.listen { events in
                        _ = try await events.next()
                        let answer = try await server.get("/api/events")
                        #expect(answer.status == 503)
                        #expect(try answer.json(ProblemBody.self).code == "tooManyStreams")
                    }
                }
            }
        }

        @Test(.timeLimit(.minutes(1))) func aClosedConnectionReleasesItsPermitWithoutAWrite() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) {
                $0.limits.eventStreams = 1
                $0.limits.heartbeat = .seconds(3_600)
            } _: { server in
                for _ in 1...3 {
                    try await server.listen { events in _ = try await events.next() }
                    _ = await server.server.streams.releases.first { true }
                }
            }
        }

        @Test(.fileOnly(.longNames)) func aListenerThatDoesNotReadBlocksNothing() async throws {
            let folder = try TestFolder()
            let clock = ContinuousClock()
            let end = try await TestServer.with(in: folder) { server in
                let names = (0..<75).map { String(repeating: "n", count: 3_900) + "\($0)" }
                let postings = names.map { #"{"account":"\#($0)","amount":"1"}"# } + [#"{"account":"other"}"#]
                let json = #"{"date":"2026-01-01","postings":[\#(postings.joined(separator: ","))]}"#
                return try await server.listen(receiveBuffer: 4_096) { events in
                    _ = try await events.next()
                    // About four megabytes of events, more than the buffers of a connection.
                    for _ in 1...14 {
                        let answer = try await server.post("/api/transactions", json: json)
                        #expect(answer.status == 201)
                    }
                    return clock.now
                }
            }
            #expect(clock.now - end < .seconds(2))
        }

        @Test func aGracefulShutdownEndsOpenStreamsInTime() async throws {
            let folder = try TestFolder()
            let clock = ContinuousClock()
            let (ends, streams) = try await TestServer.with(in: folder) { server in
                let (opened, open) = AsyncStream<Void>.makeStream()
                let readers = Task {
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        for _ in 1...5 {
                            group.addTask {
                                try await server.listen { events in
                                    _ = try await events.next()
                                    open.yield()
                                    while try await events.next() != nil {}
                                    return true
                                }
                            }
                        }
                        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                    }
                }
                var iterator = opened.makeAsyncIterator()
                for _ in 1...5 { await iterator.next() }
                return (clock.now, readers)
            }
            #expect(clock.now - ends < .seconds(2))
            #expect(try await streams.value == 5)
        }
    }
}
#endif
