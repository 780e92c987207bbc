// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

private struct MigrationFailure: Error {}

/// Stored commands whose type has changed since.
@Suite(.timeLimit(.minutes(1))) struct DurableCommandVersionTests {
    private enum First {
        struct Remind: DurableCommand {
            static let commandName = "remind"
            var text: String
        }
    }

    private struct Remind: DurableCommand {
        static let commandName = "remind"
        static let commandVersion = 3
        static let commandMigrations = [
            JSONMigration(from: 1) { $0["channel"] = .string("mail") },
            JSONMigration(from: 2) { $0["body"] = $0.removeValue(forKey: "text") },
        ]
        var body: String
        var channel: String
    }

    private struct Gap: DurableCommand {
        static let commandName = "gap"
        static let commandVersion = 3
        static let commandMigrations = [JSONMigration(from: 1) { $0["body"] = nil }]
    }

    private struct Short: DurableCommand {
        static let commandName = "remind"
        static let commandVersion = 3
        static let commandMigrations = [JSONMigration(from: 2) { $0["body"] = nil }]
        var body: String
    }

    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
    }

    private nonisolated(nonsending) func send(_ command: some DurableCommand) async throws {
        let context = EntityContext(bench.store)
        try context.schedule(command, at: RelayBench.epoch)
        try await context.commit([])
    }

    @Test func aCommandOfAnEarlierVersionIsMigrated() async throws {
        try await send(First.Remind(text: "old"))
        try await send(Remind(body: "new", channel: "post"))
        let (relay, desk) = (bench.relay(), bench.desk)
        relay.carryOut(Remind.self) { desk.note("\($0.body) by \($0.channel)") }

        try await withRelay(relay) { await desk.wait(for: 2, "delivered") }

        #expect(Set(desk.lines.filter { $0.contains(" by ") }) == ["old by mail", "new by post"])
    }

    @Test func aCommandOfANewerVersionIsLeftForARelayThatKnowsIt() async throws {
        try await send(Remind(body: "new", channel: "post"))
        let (older, newer, desk) = (bench.relay(), bench.relay(), bench.desk)
        older.carryOut(First.Remind.self) { _ in desk.note("older") }
        newer.carryOut(Remind.self) { desk.note($0.body) }

        try await withRelay(older) { try await older.untilIdle() }
        #expect(try await bench.store.deliveryStatistics().pendingCount == 1)
        #expect(try await DeadLetters(in: bench.store).page().isEmpty)
        try await withRelay(newer) { await desk.wait(for: 1, "delivered") }

        #expect(!desk.lines.contains("older"))
        #expect(desk.lines.contains("new"))
    }

    @Test(arguments: [true, false])
    func aCommandThatNoVersionReadsIsADeadLetterThatNamesTheFix(isNewer: Bool) async throws {
        if isNewer {
            try await send(Remind(body: "new", channel: "post"))
        } else {
            try await send(First.Remind(text: "old"))
        }
        let relay = bench.relay { $0.unknownEventGrace = .zero }
        if isNewer {
            relay.carryOut(First.Remind.self) { _ in }
        } else {
            relay.carryOut(Short.self) { _ in }
        }

        try await withRelay(relay) { await bench.desk.wait(for: 1, "dead") }

        let reason = try #require(try await DeadLetters(in: bench.store).page().first?.reason)
        #expect(
            reason.contains(
                isNewer
                    ? "run the version of the program that wrote it"
                    : "add 'JSONMigration(from: 1)' to its 'commandMigrations'"
            )
        )
    }

    @Test func aMigrationThatFailsMakesADeadLetterThatNamesTheFix() async throws {
        struct Strict: DurableCommand {
            static let commandName = "remind"
            static let commandVersion = 2
            static let commandMigrations = [
                JSONMigration(from: 1) { (_: inout [String: JSONValue]) in throw MigrationFailure() }
            ]
        }
        try await send(First.Remind(text: "old"))
        let relay = bench.relay()
        relay.carryOut(Strict.self) { _ in }

        try await withRelay(relay) { await bench.desk.wait(for: 1, "dead") }

        let reason = try #require(try await DeadLetters(in: bench.store).page().first?.reason)
        #expect(reason.contains("'remind', stored with version 1, does not decode"))
        #expect(reason.contains("add a migration"))
    }

    @Test func runRefusesMigrationsWithAGap() async throws {
        let relay = bench.relay()
        relay.carryOut(Gap.self) { _ in }

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .invalidDeclarations)
        #expect(error?.message.contains("start from the versions [1]") == true)
    }

    @Test func runRefusesTwoTypesOfOneName() async throws {
        let relay = bench.relay()
        relay.carryOut(Remind.self) { _ in }
        relay.carryOut(First.Remind.self) { _ in }

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .invalidDeclarations)
        #expect(error?.message.contains("both have the commandName 'remind'") == true)
    }
}
