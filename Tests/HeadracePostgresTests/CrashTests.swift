// SPDX-License-Identifier: Apache-2.0

#if Postgres && SQLite
import DomainTestSupport
import Foundation
@testable import HeadracePostgres
import HeadraceTesting
import Testing

/// Kills and stops processes that share a database, and checks the results of the processes after them.
///
/// The environment variable `HEADRACE_CRASH_ROUNDS` sets the number of rounds, two for each fault point by default.
@Suite(.needsServer, .enabled(if: TestProgram.folder != nil), .serialized, .timeLimit(.minutes(60))) struct CrashTests {
    /// The fault points, with the minimum number of passes before all messages are delivered.
    private static let points = [
        ("after-lease", 3), ("after-handler", 60), ("before-acknowledge", 3), ("commit-queued", 10),
        ("after-commit", 10),
    ]

    private static let stops = ["after-lease", "after-handler", "before-acknowledge", "commit-queued", "after-commit"]

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eventsAreHandledInOrderAndTakeEffectOnceAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossKills(of: "relay", on: url, at: point, round: round)
            try await checkDeposits(url, lines)
        }
    }

    @Test(arguments: stops, 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesCannotUseThem(point: String, round: Int) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossStop(of: "relay", on: url, at: point, round: round)
            try await checkDeposits(url, lines.before + lines.resumed, handlersCanBeLate: true)
        }
    }

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func aCommandTakesEffectOnceForEachCommittedSaleAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossKills(of: "send", on: url, at: point, round: round)
            try await checkSales(url, lines)
        }
    }

    @Test(arguments: stops, 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesDispatchesNothingTwice(point: String, round: Int) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossStop(of: "send", on: url, at: point, round: round)
            try await checkSales(url, lines.before + lines.resumed)
        }
    }

    @Test(arguments: points.filter { $0.0 != "before-acknowledge" }, 0..<CrashSubject.rounds)
    func eachTimeOfAScheduleFiresOnceAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withDatabase { url in
            // Stores the schedule in hour 1.
            #expect(try await CrashSubject.start("tick", url, "0").linesToEnd() == ["done"])
            let passes = min(point.passes, 10)
            _ = try await CrashSubject.linesAcrossKills(of: "tick", on: url, at: (point.name, passes), round: round)
            try await checkTicks(url)
        }
    }

    @Test(arguments: ["after-lease", "after-handler"], 0..<CrashSubject.rounds)
    func aProcessThatIsStoppedPastItsLeasesFiresNothingTwice(point: String, round: Int) async throws {
        try await withDatabase { url in
            #expect(try await CrashSubject.start("tick", url, "0").linesToEnd() == ["done"])
            _ = try await CrashSubject.linesAcrossStop(of: "tick", on: url, at: point, round: round)
            try await checkTicks(url)
        }
    }

    @Test(arguments: [("commit-queued", 10), ("after-commit", 10), ("after-handler", 40)], 0..<CrashSubject.rounds)
    func aProjectionAppliesEachEventOnceInOrderAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossKills(of: "project", on: url, at: point, round: round)
            let events = try await TestSchema(url: url, name: "headrace").run("SELECT count(*) FROM event").first
            let count = try #require(try events?.integer(0))
            #expect(lines.suffix(3) == ["counters \(count)", "rebuilt \(count)", "done"])
        }
    }

    @Test(arguments: points, 0..<CrashSubject.rounds)
    func eachProcessHandlesItsEventsAndTimeoutsOnceAcrossKills(
        point: (name: String, passes: Int),
        round: Int
    ) async throws {
        try await withDatabase { url in
            let lines = try await CrashSubject.linesAcrossKills(of: "process", on: url, at: point, round: round)
            try await checkJobs(url, lines)
        }
    }

    @Test(arguments: [("after-lease", 3), ("commit-queued", 20), ("after-commit", 20)], 0..<CrashSubject.rounds)
    func eachStepOfAWorkflowTakesEffectOnceAcrossKills(point: (name: String, passes: Int), round: Int) async throws {
        try await withDatabase { url in
            CrashSubject.checkWorkflows(
                in: try await CrashSubject.linesAcrossKills(of: "work", on: url, at: point, round: round))
        }
    }

    @Test(arguments: ["commit-queued", "after-commit"], 0..<CrashSubject.rounds)
    func anEventSourcedCounterIsTheFoldOfItsAcknowledgedEventsAcrossKills(point: String, round: Int) async throws {
        try await withDatabase { url in
            try CrashSubject.checkCounts(
                in: await CrashSubject.linesAcrossKills(of: "count", on: url, at: (point, 10), round: round))
        }
    }

    // MARK: Checks

    private func checkDeposits(_ url: String, _ lines: [String], handlersCanBeLate: Bool = false) async throws {
        let schema = TestSchema(url: url, name: "headrace")
        try await requireNothingLeft(in: schema)
        let accounts = try await numbers("document::json->>'count'", of: "account", in: schema)
        #expect(try await numbers("document::json->>'count'", of: "mirror", in: schema) == accounts)
        let mistakes = try await numbers("json_array_length(document::json->'mistakes')", of: "mirror", in: schema)
        #expect(mistakes.values.allSatisfy { $0 == 0 }, "out of order, or repeated")
        try CrashSubject.checkDeposits(in: lines, stored: accounts, handlersCanBeLate: handlersCanBeLate)
    }

    private func checkSales(_ url: String, _ lines: [String]) async throws {
        let schema = TestSchema(url: url, name: "headrace")
        try await requireNothingLeft(in: schema)
        let sold = try await numbers("document::json->>'count'", of: "shop", in: schema)
        #expect(try await numbers("json_array_length(document::json->'numbers')", of: "till", in: schema) == sold)
        // Each result is one event.
        let results = try await schema.run(
            "SELECT (document::json->>'shop') || ' ' || (document::json->>'number') FROM event")
        let sales = sold.flatMap { shop, count in (1...max(1, count)).map { "\(shop) \($0)" } }
        #expect(try results.rows.map { try $0.text(0) }.sorted() == sales.sorted())
        try CrashSubject.check("sold", in: lines, stored: sold)
    }

    private func checkTicks(_ url: String) async throws {
        let schema = TestSchema(url: url, name: "headrace")
        // The message of the next time is left.
        try await requireNothingLeft(in: schema, deliveries: 1)
        let clock = try await numbers("document::json->>'hour'", of: "tick-clock", in: schema)
        let hours = 2...max(3, try #require(clock.values.first))
        let ticks = try await numbers("document::json->>'id'", of: "tick", in: schema)
        #expect(ticks.values.sorted() == Array(hours))
        #expect(try await Set(numbers("document::json->>'count'", of: "tick", in: schema).values) == [1])
        let firings = try await numbers("document::json->>'firingCount'", of: "headrace.schedule", in: schema)
        #expect(Array(firings.values) == [hours.count])
    }

    private func checkJobs(_ url: String, _ lines: [String]) async throws {
        let schema = TestSchema(url: url, name: "headrace")
        try await requireNothingLeft(in: schema)
        let begun = try await numbers("document::json->>'count'", of: "job-counter", in: schema)
        let jobs = begun.flatMap { shop, count in (1...max(1, count)).map { "job/\(shop) \($0)" } }
        // The event that begins the job, and its answer or its time-out.
        let handled = try await numbers("document::json->>'handledCount'", of: "headrace.process", in: schema)
        #expect(handled == Dictionary(uniqueKeysWithValues: jobs.map { ($0, 2) }))
        let done = try await numbers("json_array_length(document::json->'done')", of: "job-book", in: schema)
        #expect(done == begun)
        let givenUp = try await numbers("json_array_length(document::json->'givenUp')", of: "job-book", in: schema)
        #expect(givenUp == begun.mapValues { $0 / 2 })
        let mistakes = try await numbers("json_array_length(document::json->'mistakes')", of: "job-book", in: schema)
        #expect(mistakes.values.allSatisfy { $0 == 0 }, "carried out twice")
        try CrashSubject.check("begun", in: lines, stored: begun)
    }

    private func requireNothingLeft(in schema: TestSchema, deliveries: Int64 = 0) async throws {
        let counts = try await schema.run(
            "SELECT (SELECT count(*) FROM delivery), (SELECT count(*) FROM dead_letter)"
        ).first
        #expect(try counts?.integer(0) == deliveries && counts?.integer(1) == 0)
    }

    /// Returns a number of each entity of a kind, by its key.
    private func numbers(_ expression: String, of kind: String, in schema: TestSchema) async throws -> [String: Int] {
        let rows = try await schema.run(
            """
            SELECT convert_from(key, 'UTF8'), (\(expression))::bigint
            FROM entity JOIN entity_kind ON entity_kind.id = kind WHERE name = '\(kind)'
            """)
        return try rows.rows.reduce(into: [:]) { $0[try $1.text(0)] = Int(try $1.integer(1)) }
    }
}
#endif
