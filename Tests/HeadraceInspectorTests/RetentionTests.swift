// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceInspector
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct RetentionTests {
    private nonisolated(nonsending) func read(_ bank: BankFixture) async throws -> Flow {
        try await Client(InspectorRoutes(bank.inspector)).get("/api/messages").read()
    }

    private nonisolated(nonsending) func ask(_ bank: BankFixture, times: Int) async throws {
        for _ in 0..<times { _ = try await bank.dispatcher.dispatch(GetBalance(account: "a")) }
    }

    @Test func thePageShowsCompleteChainsOfTheTimeBeforeItWasOpened() async throws {
        let bank = try BankFixture { $0.redaction = Redaction(showing: Deposit.self) }

        try await bank.request(5)
        bank.clock.advance(by: .seconds(100))

        let flow = try await read(bank)
        #expect(
            flow.tree == [
                "request PostRequest",
                "  command Deposit",
                "    unit of work",
                "      event Deposited",
                "        handler CheckLimit",
                "      commit",
            ]
        )
        #expect(flow.entries.compactMap(\.payload) == ["HeadraceInspectorTests.Deposit(account: \"a\", amount: 5)"])
        #expect(flow.entries.allSatisfy { $0.outcome == "success" })
        #expect(flow.skipped == 0)
    }

    @Test func theRatesBeforeThePageWasOpenedAreShown() async throws {
        let bank = try BankFixture()
        try await bank.request(5)

        struct Rates: Decodable {
            struct Point: Decodable { let counts: [Int] }
            let points: [Point]
        }
        let rates: Rates = try await Client(InspectorRoutes(bank.inspector)).get("/api/rates").read()

        #expect(rates.points.last?.counts.reduce(0, +) == 2)
    }

    @Test func aBurstIsLimitedAndThePageSaysSo() async throws {
        let bank = try BankFixture { configuration in
            configuration.capacity = 400
            configuration.retention = .seconds(40)
        }

        try await ask(bank, times: 150)

        let flow = try await read(bank)
        #expect(flow.entries.count == 100)
        #expect(flow.skipped == 50)
        #expect(flow.entries.allSatisfy { $0.outcome == "success" })
    }

    @Test func theAllowanceIsRefilledAtTheRateOfTheCapacityInTheRetention() async throws {
        let bank = try BankFixture { configuration in
            configuration.capacity = 400
            configuration.retention = .seconds(40)
        }
        try await ask(bank, times: 100)

        bank.clock.advance(by: .milliseconds(4_900))
        try await ask(bank, times: 64)
        #expect(bank.inspector.observer.isListening == false)
        bank.clock.advance(by: .milliseconds(1_100))
        try await ask(bank, times: 200)

        // 6 seconds refill 60 entries. The clock is read at every sixteenth check.
        let flow = try await read(bank)
        #expect(flow.entries.count == 160)
    }

    @Test func anOpenPageRecordsWithoutALimit() async throws {
        let bank = try BankFixture { configuration in
            configuration.capacity = 400
            configuration.retention = .seconds(40)
        }
        _ = try await read(bank)

        try await ask(bank, times: 300)

        let flow = try await read(bank)
        #expect(flow.entries.count == 300)
        #expect(flow.skipped == 0)
    }

    @Test func concurrentTasksExceedTheAllowanceOnlyByTheirNumber() async throws {
        let bank = try BankFixture { configuration in
            configuration.capacity = 400
            configuration.retention = .seconds(40)
        }

        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await ask(bank, times: 100) } }
            try await group.waitForAll()
        }

        let flow = try await read(bank)
        #expect((100...108).contains(flow.entries.count))
        #expect(flow.entries.allSatisfy { $0.outcome == "success" })
    }

    @Test func anEntryThatIsInProgressWhenTheAllowanceEndsIsCompleted() async throws {
        let bank = try BankFixture { configuration in
            configuration.capacity = 8
            configuration.retention = .seconds(8)
        }

        try await bank.withRequest("/") { try await ask(bank, times: 10) }

        let flow = try await read(bank)
        #expect(flow.tree == ["request PostRequest", "  query GetBalance"])
    }
}
