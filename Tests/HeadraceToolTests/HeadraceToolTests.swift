// SPDX-License-Identifier: Apache-2.0

#if Tool && SQLite
import ArgumentParser
import Foundation
import HeadraceCommands
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceTool

@Suite(.timeLimit(.minutes(2))) struct HeadraceToolTests: ToolSuite {
    /// Two deliveries of the subscription `mails`: the first is a dead letter, and the second is pending.
    private func withStore(_ test: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-tool-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()

        let store = try SQLiteStore(path: path, entities: [])
        var changes = ChangeSet(events: [Self.event(1), Self.event(2)])
        changes.deliveries = (0...1).map { ChangeSet.NewDelivery(event: $0, subscription: "mails") }
        changes.idempotencyRecords = [
            IdempotencyRecord(
                key: "key", command: Data("{}".utf8), outcome: Data("null".utf8),
                date: Date(timeIntervalSince1970: 1_000_000_000))
        ]
        try await store.commit(changes)
        let now = Date(timeIntervalSince1970: 2_000_000_000)
        let request = LeaseRequest(
            subscriptions: ["mails"], laneLimit: 1, batchLimit: 1, now: now, duration: .seconds(60))
        let delivery = try #require(try await store.lease(request).lanes.first?.first)
        let failure = Settlement.Failure(
            position: delivery.position, attempts: 3, reason: "No \u{1B}[31mnetwork\nat all", date: now)
        _ = try await store.settle(
            [Settlement(lease: delivery.lease, failures: [failure], end: .finished(now: now))])
        try store.close()

        try await test(path)
    }

    private static func event(_ number: Int) -> NewEvent {
        NewEvent(
            id: UUID(),
            name: "mail-requested",
            version: 1,
            stream: EntityReference(kind: "order", key: "7"),
            recordedAt: Date(timeIntervalSince1970: 1_000_000_000),
            json: Data(#"{"number":\#(number)}"#.utf8)
        )
    }

    @Test func statusShowsWhatIsPendingAndWhatHasFailed() async throws {
        try await withStore { (path) async throws in
            #expect(
                try await run("status", "--database", path) == [
                    "position of the last event: 2",
                    "mails: 1 pending, the oldest of 2001-09-09T01:46:40Z, 1 dead letter",
                ])
            // The name of the command is optional.
            #expect(try await run("-d", path).count == 2)
        }
    }

    @Test func jsonHasStableMembers() async throws {
        try await withStore { (path) async throws in
            #expect(
                try await run("status", "--json", "--database", path).joined() == """
                    {
                      "deadLetters" : 1,
                      "lastPosition" : 2,
                      "pending" : 1,
                      "subscriptions" : [
                        {
                          "deadLetters" : 1,
                          "name" : "mails",
                          "oldestPending" : "2001-09-09T01:46:40Z",
                          "pending" : 1
                        }
                      ]
                    }
                    """)
        }
    }

    @Test func pendingDeliveriesAreListedWithTheirStatesAndPaged() async throws {
        try await withStore { (path) async throws in
            // The clock of the fixture is ahead.
            #expect(
                try await run("pending", "-d", path) == [
                    "1.2  retrying  mails  mail-requested  at 2033-05-18T03:33:20Z"
                ])
            let store = try SQLiteStore(path: path, entities: [])
            let now = Date(timeIntervalSince1970: 4_000_000_000)
            let request = LeaseRequest(
                subscriptions: ["mails"], laneLimit: 1, batchLimit: 1, now: now, duration: .seconds(60))
            let delivery = try #require(try await store.lease(request).lanes.first?.first)
            #expect(
                try await run("pending", "--state", "running", "-d", path) == [
                    "1.2  running  mails  mail-requested  leased until 2096-10-02T07:07:40Z"
                ])
            _ = try await store.settle([
                Settlement(
                    lease: delivery.lease, attempts: 2, end: .retry(at: now, now: now),
                    reason: "No \u{7}network\nat all")
            ])
            try store.close()

            #expect(
                try await run("pending", "-d", path) == [
                    "1.2  retrying  mails  mail-requested  at 2096-10-02T07:06:40Z  2 attempts  No \u{FFFD}network"
                ])
            #expect(try await run("pending", "--state", "scheduled", "-d", path) == ["There are no such deliveries."])
            let json = try await run("pending", "--subscription", "mails", "--json", "-d", path).joined()
            for member in [#""cursor" : "4000000000000.1.2.mails""#, #""state" : "retrying""#, #""attempts" : 2"#] {
                #expect(json.contains(member), "\(json)")
            }
            #expect(
                try await run("pending", "--after", "4000000000000.1.2.mails", "-d", path) == [
                    "There are no such deliveries."
                ])
        }
    }

    #if Postgres
    @Test(arguments: ["copy", "migrate"])
    func aCopyToWhatIsNoDatabaseOrFromNoFileFailsWithARemedy(command: String) async throws {
        try await withStore { (path) async throws in
            let message = await failure(command, path, "postgres://localhost:1/nowhere")
            #expect(message.contains("To fix"), "\(message)")
            #expect(await failure(command, path + ".not", "postgres://localhost/x").contains("There is no file"))
            #expect(!FileManager.default.fileExists(atPath: path + ".not"))
        }
    }
    #endif

    @Test func aSubscriptionIsPausedAndResumed() async throws {
        try await withStore { (path) async throws in
            #expect(try await run("pause", "mails", "-d", path) == ["1 subscription paused."])
            let line = try await run("status", "-d", path).last
            #expect(line?.contains("1 dead letter, paused since 20") == true)
            #expect(try await run("status", "--json", "-d", path).joined().contains(#""pausedSince" : "20"#))
            let store = try SQLiteStore(path: path, entities: [])
            let request = LeaseRequest(
                subscriptions: ["mails"], laneLimit: 1, batchLimit: 1, now: Date(timeIntervalSince1970: 2_000_000_000),
                duration: .seconds(60))
            #expect(try await store.lease(request).lanes.isEmpty)

            #expect(try await run("resume", "mails", "-d", path) == ["1 subscription resumed."])
            #expect(try await store.lease(request).lanes.count == 1)
            try store.close()
            #expect(try await run("status", "-d", path).last?.contains("paused") == false)
        }
    }

    @Test func anUnknownSubscriptionCannotBePaused() async throws {
        try await withStore { (path) async throws in
            for command in ["pause", "resume"] {
                let message = await failure(command, "mail", "-d", path)
                #expect(message.contains("no subscription 'mail'") && message.contains("mails"), "\(message)")
            }
        }
    }

    @Test func deadLettersAreListedAndShownWithoutTheirControlCharacters() async throws {
        try await withStore { (path) async throws in
            #expect(
                try await run("dead-letters", "-d", path) == [
                    "1  2033-05-18T03:33:20Z  mails  mail-requested  No \u{FFFD}[31mnetwork"
                ])
            let lines = try await run("dead-letters", "show", "1", "-d", path)
            #expect(lines.contains("attempts: 3"))
            #expect(lines.contains("stream: order '7'"))
            #expect(lines.last == #"content: {"number":1}"#)
            #expect(try await run("dead-letters", "--after", "1", "-d", path) == ["There are no dead letters."])
        }
    }

    @Test func aReplayedDeadLetterIsPendingAgain() async throws {
        try await withStore { (path) async throws in
            #expect(
                try await run("dead-letters", "replay", "1", "-d", path) == ["1 dead letter will be delivered again."])
            #expect(try await run("-d", path).last?.hasPrefix("mails: 2 pending") == true)
        }
    }

    @Test func allDeadLettersOfASubscriptionAreReplayed() async throws {
        try await withStore { (path) async throws in
            #expect(
                try await run("dead-letters", "replay", "--all-of", "mails", "--json", "-d", path)
                    == ["{\n  \"count\" : 1\n}"])
        }
    }

    @Test func anUnknownDeadLetterFailsAndChangesNothing() async throws {
        try await withStore { (path) async throws in
            #expect(await failure("dead-letters", "discard", "1", "99", "-d", path).contains("ID 99"))
            #expect(try await run("dead-letters", "-d", path).count == 1)
            #expect(try await run("dead-letters", "discard", "1", "-d", path) == ["1 dead letter discarded."])
            #expect(try await run("dead-letters", "-d", path) == ["There are no dead letters."])
        }
    }

    @Test func aReplayNamesTheEvents() async throws {
        try await withStore { (path) async throws in
            // The second event is pending, so a replay adds only the first.
            #expect(
                try await run("replay", "mails", "--event", "mail-requested", "--after", "1", "-d", path)
                    == ["0 events will be delivered again."])
            #expect(
                try await run("replay", "mails", "--event", "mail-requested", "-d", path)
                    == ["1 event will be delivered again."])
            #expect(
                try await run("replay", "mails", "--event", "other", "-d", path)
                    == ["0 events will be delivered again."])
            #expect(await failure("replay", "mails", "-d", path).contains("--event"))
        }
    }

    @Test func onlyOldEventsWithoutDeliveriesAreRemoved() async throws {
        try await withStore { (path) async throws in
            _ = try await run("dead-letters", "discard", "1", "-d", path)
            #expect(try await run("prune", "--event-days", "999999", "-d", path) == ["0 rows removed."])
            // The second event is pending. The records of the operations are new.
            #expect(try await run("prune", "--event-days", "1", "-d", path) == ["1 row removed."])
            #expect(try await run("prune", "--event-days", "1", "-d", path) == ["0 rows removed."])
            #expect(await failure("prune", "-d", path).contains("--event-days"))
        }
    }

    @Test func onlyOldIdempotencyKeysAreRemoved() async throws {
        try await withStore { (path) async throws in
            #expect(try await run("prune", "--key-days", "999999", "-d", path) == ["0 rows removed."])
            #expect(try await run("prune", "--key-days", "1", "-d", path) == ["1 row removed."])
            for days in ["nan", "-1", "1000000"] {
                let message = await failure("prune", "--key-days=\(days)", "-d", path)
                #expect(message.contains("at least 0 and less than 1,000,000"))
            }
        }
    }

    @Test func aReplayToAnUnknownSubscriptionFailsAndCreatesNothing() async throws {
        try await withStore { (path) async throws in
            let message = await failure("replay", "mail", "--event", "mail-requested", "-d", path)

            #expect(
                message
                    == "There is no subscription 'mail', so nothing was changed. To fix, use one of 'mails'.")
            #expect(try await run("-d", path).count == 2)
        }
    }

    @Test func anIntactFileHasNoDamage() async throws {
        try await withStore { (path) async throws in
            #expect(try await run("check", "-d", path) == ["The file has no damage."])
        }
    }

    @Test func aDamagedFileFailsTheCheck() async throws {
        try await withStore { (path) async throws in
            let file = try FileHandle(forUpdating: URL(filePath: path))
            // The last page, which belongs to a table or to an index.
            try file.seek(toOffset: try file.seekToEnd() - 4_096)
            try file.write(contentsOf: Data(repeating: 0xAB, count: 4_096))
            try file.close()

            let message = await failure("check", "-d", path)
            #expect(message.contains("damaged"))
        }
    }

    @Test func aFileThatDoesNotExistIsNotCreated() async throws {
        try await withStore { (path) async throws in
            #expect(await failure("-d", path + "x").contains("There is no file"))
            #expect(!FileManager.default.fileExists(atPath: path + "x"))
        }
    }

    @Test func theFileOfAnotherProgramIsLeftAlone() async throws {
        try await withStore { (path) async throws in
            let other = path + ".txt"
            try Data("not a database, but a text that is longer than the header of one".utf8).write(
                to: URL(filePath: other))
            let before = try Data(contentsOf: URL(filePath: other))

            #expect(await failure("-d", other) != "no error")
            #expect(try Data(contentsOf: URL(filePath: other)) == before)
        }
    }

    @Test func aProgramThatHasTheFileOpenGoesOn() async throws {
        try await withStore { (path) async throws in
            let program = try SQLiteStore(path: path, entities: [Note.self])
            let context = EntityContext(program)
            context.insert(Note(id: 1))
            try await context.commit([])

            for arguments in [["-d", path], ["schedules", "-d", path], ["check", "-d", path]] {
                var command = try HeadraceTool.parseAsRoot(arguments)
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await Console.$receive.withValue({ _ in }) { try await asynchronous.run() }
                } else {
                    try command.run()
                }
            }

            #expect(try await EntityContext(program).find(Note.self, id: 1) != nil)
            try program.close()
        }
    }

    /// Returns the operators and the operations that the log records.
    private func operations(in path: String) async throws -> [String] {
        let store = try SQLiteStore(path: path, entities: [])
        let records = try await store.events(after: 0, limit: 99).filter { $0.event.name == OperatorLog.eventName }
        try store.close()
        return records.map { record in
            let operation = OperatorLog.Operation(json: record.event.json)
            let target = operation?.target.joined(separator: ", ") ?? ""
            return "\(record.event.origin.principalID ?? "-"): \(operation?.name ?? "-") \(target)"
        }
    }

    @Test func eachOperationIsRecordedWithItsOperatorAndReadingIsNot() async throws {
        try await withStore { (path) async throws in
            let anna = ["--operator", "anna", "-d", path]
            for command in [
                ["pause", "mails"], ["resume", "mails"], ["dead-letters", "replay", "1"],
                ["replay", "mails", "--event", "mail-requested"], ["dead-letters", "replay", "--all-of", "mails"],
            ] {
                _ = try await run(command + anna)
            }
            _ = await failure(["dead-letters", "discard", "99"] + anna)
            _ = await failure(["replay", "mail", "--event", "mail-requested"] + anna)
            for command in [["status"], ["pending"], ["dead-letters"], ["check"]] {
                _ = try await run(command + ["-d", path])
            }

            #expect(
                try await operations(in: path) == [
                    "anna: pause mails", "anna: resume mails", "anna: replay dead letters 1", "anna: replay mails",
                    "anna: replay all dead letters mails",
                ])
            #expect(await failure(["pause", "mails", "--operator", "", "-d", path]).contains("must not be empty"))
        }
    }

    @Test func theOperatorIsTheUserOfTheSystemByDefault() async throws {
        try await withStore { (path) async throws in
            _ = try await run("dead-letters", "discard", "1", "-d", path)
            _ = try await run("prune", "--event-days", "0", "--key-days", "1", "-d", path)

            let recorded = try await operations(in: path)
            let record = try #require(recorded.first)
            #expect(recorded.count == 1)
            #expect(record.hasPrefix("\(NSUserName()): prune events before 2"), "\(record)")
            #expect(record.contains(", keys before 2"))
        }
    }

    @Test func theContentOfADeadLetterIsCorrectedFromAFile() async throws {
        try await withStore { (path) async throws in
            let file = path + ".json"
            func correct(_ content: String) async throws -> [String] {
                try Data(content.utf8).write(to: URL(filePath: file))
                return ["dead-letters", "replay", "1", "--content", file, "--operator", "anna", "-d", path]
            }
            let refused = await failure(try await correct("{"))
            #expect(refused.contains("isn't valid JSON") && refused.contains("To fix"), "\(refused)")
            #expect(await failure("dead-letters", "replay", "1", "--content", "none", "-d", path).contains("'none'"))
            for arguments in [["1", "2"], ["--all-of", "mails"]] {
                let message = await failure(
                    ["dead-letters", "replay"] + arguments + ["--content", file, "-d", path])
                #expect(message.contains("Name one ID with '--content'."), "\(message)")
            }
            #expect(try await run("dead-letters", "-d", path).count == 1)

            #expect(try await run(correct(#"{"number":7}"#)) == ["1 dead letter will be delivered again."])

            #expect(await failure(try await correct("{}")).contains("any longer"))
            #expect(try await operations(in: path) == ["anna: correct dead letter 1"])
            let store = try SQLiteStore(path: path, entities: [])
            let request = LeaseRequest(
                subscriptions: ["mails"], laneLimit: 9, batchLimit: 9, now: Date(timeIntervalSince1970: 2_000_000_000),
                duration: .seconds(60))
            let delivery = try #require(try await store.lease(request).lanes.flatMap(\.self).first { $0.position == 1 })
            let failed = Settlement.Failure(position: 1, attempts: 1, reason: "Again", date: request.now)
            _ = try await store.settle(
                [Settlement(lease: delivery.lease, failures: [failed], end: .finished(now: request.now))])
            try store.close()
            let lines = try await run("dead-letters", "show", "2", "-d", path)
            #expect(lines.last == #"corrected content: {"number":7}"#)
        }
    }

    @Test func schedulesArePausedAndResumed() async throws {
        try await withStore { (path) async throws in
            let store = try SQLiteStore(path: path, entities: [StoredSchedule.self])
            let builder = ContainerBuilder()
            builder.domain(
                store: store,
                scheduled: [ScheduledCommand(Tick.self) { _, _ in }],
                schedules: [RecurringSchedule("ticks", try .cron("0 22 * * *", in: .gmt)) { _ in Tick() }]
            )
            try await TestRelay.run(builder.build().resolve()) { try await $0.advance(by: .seconds(86_400)) }
            try store.close()

            #expect(try await run("schedules", "-d", path).first?.hasSuffix("fired once") == true)
            #expect(try await run("schedules", "pause", "ticks", "-d", path) == ["1 schedule paused."])
            #expect(try await run("schedules", "-d", path).first?.hasPrefix("ticks: paused") == true)
            #expect(try await run("schedules", "resume", "ticks", "-d", path) == ["1 schedule resumed."])
            #expect(await failure("schedules", "pause", "tocks", "-d", path).contains("tocks"))
        }
    }
}

private struct Tick: DurableCommand {
    static let commandName = "tick"
}

private final class Note: StoredEntity {
    static let entityName = "note"

    let id: Int
    var raisedEvents = RaisedEvents()

    init(id: Int) { self.id = id }
}
#endif
