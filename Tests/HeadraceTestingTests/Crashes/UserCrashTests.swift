// SPDX-License-Identifier: Apache-2.0

#if SQLite && (os(macOS) || os(Linux))
import Foundation
import Headrace
import HeadraceCore
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// Finds the planted mistakes of the program `ShopSubject`, and none in the version without mistakes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UserCrashTests {
    @Test func theRightProgramKeepsItsPromisesAcrossKills() async throws {
        let test = CrashTest(program: "ShopSubject", arguments: ["right"], handlers: ["mails"])
        try await test.runKilling { run in
            let placed = try await numbersOfOrders(in: run.folder)
            for line in run.lines where line.hasPrefix("ordered") {
                let number = Int(line.dropFirst("ordered ".count)) ?? 0
                try run.require(placed.contains(number), "order \(number) was acknowledged, but lost")
            }
            try run.require(Set(placed).count == placed.count, "an order was placed twice: \(placed)")
            let mailed = try numbersOfMails(in: run.folder)
            try run.require(Set(mailed) == Set(placed), "orders \(placed), but mails \(mailed)")
        }
    }

    @Test func aKillRepeatsTheMailOnlyBetweenTheMailAndItsMark() async throws {
        let report = try await CrashTest(
            program: "ShopSubject", arguments: ["right"], points: [.mailSent], handlers: ["mails"], passes: [1, 3]
        ).runKilling { run in
            try await check(run)
            let mailed = try numbersOfMails(in: run.folder)
            let isBetween = run.point == .mailSent || run.point == .afterHandler
            #expect(mailed.count == (isBetween ? 4 : 3), "\(run.point), pass \(run.pass): \(mailed)")
        }
        #expect(report.violations.isEmpty)
        #expect(report.reachedCount == 8)
    }

    @Test func theHandlerOfADurableCommandIsNamedByTheCommand() async throws {
        let report = try await CrashTest(
            program: "CrashSubject", arguments: ["send", "store.sqlite", "1"], points: [], handlers: ["collect"],
            passes: [1, 8]
        ).runKilling { run in
            try run.require(run.successorLines.last == "done", "the successor printed \(run.successorLines)")
        }
        #expect(report.violations.isEmpty)
        #expect(report.reachedCount == 6)
    }

    @Test func aProcessThatIsStoppedPastItsLeasesRepeatsNothingInTheStore() async throws {
        let report = try await CrashTest(
            program: "ShopSubject", arguments: ["right"], points: [.afterLease], handlers: ["mails"], passes: [1]
        ).runStopping { try await check($0) }
        #expect(report.violations.isEmpty)
        #expect(report.reachedCount == 4)
    }

    /// The point, its passes, and the violation that they must show.
    @Test(arguments: [
        ("acknowledges-first", FaultPoint.commitQueued, "order 1 was acknowledged, but lost"),
        ("without-key", .afterCommit, "an order was placed twice"),
        ("marks-first", .afterCommit, "but mails"),
    ])
    func aKillShows(mistake: String, at point: FaultPoint, as violation: String) async throws {
        var report: CrashTest.Report?
        try await withKnownIssue {
            report = try await CrashTest(
                program: "ShopSubject", arguments: [mistake], points: [point], passes: [1, 2, 3, 4]
            ).runKilling { try await check($0) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains(violation) }
        }
        let violations = try #require(report).violations
        #expect(violations.contains { $0.hasPrefix("\(point), pass ") && $0.contains(violation) })
    }

    @Test func aProgramThatFailsIsAViolationWithItsStandardError() async throws {
        var report: CrashTest.Report?
        await withKnownIssue {
            report = try await CrashTest(program: "ShopSubject", points: [.afterCommit], passes: [1]).runKilling { _ in
            }
        }
        #expect(
            report?.violations == [
                """
                after-commit, pass 1: The process failed: it ended with status 2. Its standard error: \
                Usage: ShopSubject right | …
                """
            ])
    }

    @Test func aTestThatReachesNothingFailsWithARemedy() async throws {
        var report: CrashTest.Report?
        try await withKnownIssue {
            report = try await CrashTest(
                program: "ShopSubject", arguments: ["right"], points: [.inUse], handlers: ["mials"], passes: [1]
            ).runKilling { try await check($0) }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("reached no fault point. To fix, set 'configuration.faults = CrashFaults.store'")
                && text.contains("never ran the handler 'mials'. To fix, pass 'observers: CrashFaults.observers'")
        }
        #expect(
            report?.description == """
                point                 handler  pass  result
                in-use                -        1     not reached
                before-handler        mials    1     not reached
                after-handler         mials    1     not reached
                after-handler-commit  mials    1     not reached
                """)
    }

    @Test func aMissingProgramIsAnErrorWithARemedy() async throws {
        let error = await #expect(throws: CrashTestError.self) {
            try await CrashTest(program: "NoSubject").runKilling { _ in }
        }
        #expect(error?.code == .programMissing)
        #expect(
            error?.message.contains(#"To fix, name an executable target, and add "NoSubject" to the 'dependencies'"#)
                == true)
    }

    @Test func aCancelledTestEndsItsProcesses() async throws {
        // The process stops, and nothing but the cancellation ends it.
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = try CrashProcess(
            "ShopSubject", ["right"], fault: CrashFault(.afterLease, pass: 1, signal: SIGSTOP), folder: folder)
        _ = try await process.linesToStop()
        #expect(await process.hasStopped)

        let waiting = Task { try await process.linesToEnd() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(await process.wasKilled)
    }

    @Test func aProcessThatNoTestHasStartedHasNoFaults() {
        #expect(CrashFaults.store == nil)
        #expect(CrashFaults.observers.isEmpty)
        CrashFaults.pass(.afterCommit)
    }

    // MARK: The check

    private func check(_ run: CrashTest.Run) async throws {
        let placed = try await numbersOfOrders(in: run.folder)
        for line in run.lines where line.hasPrefix("ordered") {
            let number = Int(line.dropFirst("ordered ".count)) ?? 0
            try run.require(placed.contains(number), "order \(number) was acknowledged, but lost")
        }
        try run.require(Set(placed).count == placed.count, "an order was placed twice: \(placed)")
        let mailed = try numbersOfMails(in: run.folder)
        try run.require(Set(mailed) == Set(placed), "orders \(placed), but mails \(mailed)")
    }
}

private func numbersOfOrders(in folder: URL) async throws -> [Int] {
    let store = try SQLiteStore(path: folder.appending(path: "shop.sqlite").path, entities: [Order.self])
    let numbers = try await EntityContext(store).fetch(Order.self).map(\.number)
    try store.close()
    return numbers.sorted()
}

private func numbersOfMails(in folder: URL) throws -> [Int] {
    let text = try String(contentsOf: folder.appending(path: "mails.txt"), encoding: .utf8)
    return text.split(separator: "\n").compactMap { Int($0) }.sorted()
}

/// The order of `ShopSubject`.
private final class Order: StoredEntity {
    static let entityName = "order"

    let id: UUID
    let number: Int
    var isMailed = false
    var raisedEvents = RaisedEvents()

    init(number: Int) {
        id = UUID()
        self.number = number
    }
}

extension FaultPoint {
    fileprivate static let mailSent = FaultPoint(rawValue: "mail-sent")
}
#endif
