// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceInspector
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) final class InspectorHistoryTests {
    private let parent = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
    private var folder: URL { parent.appending(path: "history") }
    private let clock = TestClock()

    init() throws {
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: parent) }

    private func open(
        _ folder: URL? = nil, at time: Duration = .zero,
        _ change: (inout InspectorHistory.Configuration) -> Void = { _ in }
    ) throws -> InspectorHistory {
        var configuration = InspectorHistory.Configuration()
        change(&configuration)
        let now = BankFixture.epoch.addingTimeInterval(time / .seconds(1))
        return try InspectorHistory(in: folder ?? self.folder, configuration: configuration, clock: clock) { now }
    }

    /// Runs `history` while `body` runs, and ends it in order.
    private nonisolated(nonsending) func run(
        _ history: InspectorHistory, _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        let running = Task { try await history.run() }
        await clock.waitForSleepers(1)
        try await body()
        running.cancel()
        try await running.value
    }

    /// Returns when the running history has written once.
    private nonisolated(nonsending) func write() async {
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers(1)
    }

    private nonisolated(nonsending) func flow(_ bank: BankFixture) async throws -> Flow {
        try await Client(InspectorRoutes(bank.inspector)).get("/api/messages").read()
    }

    /// The flow of a program that opens `history`.
    private nonisolated(nonsending) func flow(_ history: InspectorHistory) async throws -> Flow {
        try await flow(BankFixture(history: history))
    }

    private func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    private func text() throws -> String {
        try files().map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
    }

    private func error(_ body: () throws -> InspectorHistory) -> InspectorHistoryError? {
        #expect(throws: InspectorHistoryError.self) { _ = try body() }
    }

    private static let chain = [
        "request PostRequest",
        "  command Deposit",
        "    unit of work",
        "      event Deposited",
        "        handler CheckLimit",
        "      commit",
    ]

    @Test func afterARestartThePageShowsTheMessagesOfTheRunsBefore() async throws {
        for amount in 1...2 {
            let history = try open()
            let bank = try BankFixture(history: history) { $0.redaction = Redaction(showing: Deposit.self) }
            try await run(history) { try await bank.request(amount) }
        }

        let history = try open()
        let bank = try BankFixture(history: history)
        try await bank.request(3)

        let flow = try await flow(bank)
        #expect(flow.tree == Self.chain + Self.chain + Self.chain)
        #expect(flow.entries.map(\.isEarlier) == Array(repeating: true, count: 12) + Array(repeating: nil, count: 6))
        #expect(flow.entries.compactMap(\.payload).map { $0.suffix(10) } == ["amount: 1)", "amount: 2)"])
        #expect(
            flow.entries.allSatisfy {
                $0.duration != nil && $0.began == BankFixture.epoch.timeIntervalSince1970 * 1_000
            })
        #expect(flow.history == Flow.History(earlier: 12, leftOut: 0, unreadable: 0, dropped: 0, failure: nil))
    }

    @Test func aKilledProgramLosesOnlyTheTimeSinceTheLastWrite() async throws {
        let history = try open()
        let bank = try BankFixture(history: history)
        let copy = parent.appending(path: "copy")
        try await run(history) {
            try await bank.withRequest("/") {
                try await bank.request(1)
                await self.write()
                try FileManager.default.copyItem(at: self.folder, to: copy)
            }
        }

        // The files of a killed program are the same as a copy at this moment.
        let flow = try await flow(open(copy))
        #expect(flow.tree.first == "request PostRequest: unfinished")
        #expect(flow.tree.dropFirst().map { $0.dropFirst(2) } == Self.chain.map { $0[...] })
        #expect(flow.entries.first?.duration == nil)
    }

    @Test func hiddenContentDoesNotReachTheDisk() async throws {
        for (redaction, isShown) in [(Redaction.typesOnly, false), (Redaction(showing: Deposit.self), true)] {
            let history = try open()
            let bank = try BankFixture(history: history) { $0.redaction = redaction }
            try await run(history) {
                try? await bank.request(5_000, to: "s3cret")
                await self.write()
            }

            #expect(try text().contains("s3cret") == isShown)
            #expect(try text().contains("LimitExceeded"))
        }
    }

    @Test func onlyTheUserCanReadTheFiles() async throws {
        let history = try open()
        let bank = try BankFixture(history: history)
        try await run(history) { try await bank.request(1) }
        func permissions(_ file: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }

        #expect(try files().map { try permissions($0) } == [0o600, 0o600])
        #expect(try permissions(folder) == 0o700)
        for file in try files() {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        }
        _ = try open()
        #expect(try files().map { try permissions($0) } == [0o600, 0o600])
    }

    @Test func theFilesHaveAtMostTheirSizeAndTheNewestEntries() async throws {
        let history = try open { $0.byteLimit = 20_000 }
        let bank = try BankFixture(history: history)
        try await run(history) {
            for amount in 0..<100 {
                try await bank.request(amount)
                if amount % 7 == 0 { await self.write() }
                let size = try self.files().reduce(0) { try $0 + Data(contentsOf: $1).count }
                #expect(size <= 20_000)
            }
        }

        let flow = try await flow(open())
        #expect((20...100).contains(flow.entries.count))
        #expect(flow.tree.suffix(6) == Self.chain)
        #expect(flow.history?.leftOut == 0 && flow.history?.unreadable == 0)
    }

    @Test func oldEntriesAreNeitherShownNorKept() async throws {
        let history = try open { $0.age = .seconds(60) }
        let bank = try BankFixture(history: history)
        try await run(history) {
            try await bank.request(1)
            await self.write()
            #expect(try self.text().contains("Deposit"))
            for _ in 0..<2 {
                bank.clock.advance(by: .seconds(31))
                await self.write()
            }
            #expect(try self.text().contains("Deposit") == false)
            _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))
        }

        #expect(try await flow(open(at: .seconds(100)) { $0.age = .seconds(60) }).entries.count == 1)
        #expect(try await flow(open(at: .seconds(130)) { $0.age = .seconds(60) }).entries.count == 0)
    }

    @Test func eachInspectorNeedsItsFolder() async throws {
        let history = try open()

        #expect(error { try open() }?.code == .inUse)

        try await run(history) {}
        _ = try open()
        await #expect(throws: InspectorHistoryError.self) { try await history.run() }
    }

    @Test func aFolderThatCannotBeUsedIsAnError() throws {
        let file = parent.appending(path: "file")
        try Data().write(to: file)

        for folder in [file, file.appending(path: "below"), parent.appending(path: "missing/below")] {
            let error = try #require(error { try open(folder) })
            #expect(error.code == .unavailable)
            #expect(error.message.contains(folder.path) && error.message.contains("To fix"))
        }
    }

    @Test(arguments: [
        ("garbage", InspectorHistoryError.Code.damaged),
        ("{\"form\":\"another\",\"version\":1}\n", .damaged),
        ("{\"form\":\"headrace.inspector.history\",\"version\":1,\"began\":0}\n", .damaged),
        (
            "{\"form\":\"headrace.inspector.history\",\"version\":1,\"began\":0,\"segment\":9223372036854775807}\n",
            .damaged
        ),
        ("{\"form\":\"headrace.inspector.history\",\"version\":2,\"pages\":[]}\n", .unsupportedVersion),
        ("{\"form\":\"headrace.inspector.history\",\"version\":0}\n", .unsupportedVersion),
        (String(repeating: "\0", count: 4_096), .damaged),
    ])
    func aFileOfAnotherFormIsRefusedAndKept(content: String, code: InspectorHistoryError.Code) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "flow-1.jsonl")
        try Data(content.utf8).write(to: file)

        let error = try #require(error { try open() })

        #expect(error.code == code)
        #expect(error.message.contains(file.path) && error.message.contains("To fix"))
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }

    @Test func linesThatAreNotRecordsAreCountedAndAPartOfALineIsRemoved() async throws {
        let first = try open()
        let bank = try BankFixture(history: first)
        try await run(first) { try await bank.request(1) }
        let file = folder.appending(path: "flow-1.jsonl")
        let kept = try Data(contentsOf: file)
        let garbage = [
            "garbage", "{}", "{\"run\":1}", "{\"run\":-1,\"leftOut\":1}", "{\"run\":1,\"leftOut\":9223372036854775807}",
            "{\"run\":9223372036854775807,\"leftOut\":1}",
            "{\"run\":1,\"entry\":{\"number\":1,\"revision\":1,\"kind\":\"a\",\"type\":\"b\",\"began\":1e300}}",
            "\u{FFFD}\0",
        ]
        try (kept + Data(garbage.map { $0 + "\n" }.joined().utf8) + kept.suffix(40).dropLast(2)).write(to: file)

        let second = try open()
        let other = try BankFixture(history: second)
        try await run(second) { try await other.request(2) }

        #expect(try await flow(other).history?.unreadable == 9)
        let flow = try await flow(open())
        #expect(flow.tree == Self.chain + Self.chain)
        #expect(flow.history?.unreadable == 8)
    }

    @Test func whileTheFilesCannotBeWrittenTheProgramGoesOnAndLosesNothing() async throws {
        let history = try open()
        let bank = try BankFixture(history: history)
        let aside = parent.appending(path: "aside")
        try await run(history) {
            try FileManager.default.moveItem(at: self.folder, to: aside)
            try await bank.request(1)
            await self.write()
            #expect(try await self.flow(bank).history?.failure != nil)

            try FileManager.default.moveItem(at: aside, to: self.folder)
            try await bank.request(2)
            await self.write()
            #expect(try await self.flow(bank).history?.failure == nil)
        }

        let flow = try await flow(open())
        #expect(flow.tree == Self.chain + Self.chain)
        #expect(flow.history?.leftOut == 0)
    }

    @Test func messagesThatTheMemoryDropsBeforeTheyAreWrittenAreCounted() async throws {
        let history = try open()
        let bank = try BankFixture(history: history) { $0.capacity = 10 }
        _ = try await flow(bank)
        try await run(history) {
            for _ in 0..<25 { _ = try await bank.dispatcher.dispatch(GetBalance(account: "a")) }
            await self.write()
            #expect(try await self.flow(bank).history?.dropped == 15)
        }

        let flow = try await flow(open())
        #expect(flow.entries.count == 10)
        #expect(flow.history?.leftOut == 15)
    }

    @Test func messagesBeyondTheLimitAreCounted() async throws {
        let history = try open()
        let bank = try BankFixture(history: history) { configuration in
            configuration.capacity = 40
            configuration.retention = .seconds(40)
        }
        try await run(history) {
            for _ in 0..<25 { _ = try await bank.dispatcher.dispatch(GetBalance(account: "a")) }
        }

        let flow = try await flow(open())
        #expect(flow.entries.count == 10)
        #expect(flow.history?.leftOut == 15)
    }
}
