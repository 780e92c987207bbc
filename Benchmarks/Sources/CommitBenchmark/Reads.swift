// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage

/// Measures reads of a store with many lines of accounts, of which one has most and one has few.
enum Reads {
    private static let lineCount = 100_000

    /// Prints the processor time of each kind of read, and its time.
    static func run(in folder: URL) async throws -> Int32 {
        let path = folder.appending(path: "reads.sqlite").path(percentEncoded: false)
        let store = try SQLiteStore(path: path, entities: [Line.self])
        for first in stride(from: 0, to: lineCount, by: 1_000) {
            let context = EntityContext(store)
            for number in first..<first + 1_000 { context.insert(Line(number)) }
            try await context.commit(context.takeEvents())
        }
        try await measure("nothing in a snapshot") { try await store.read { _ in } }
        try await measure("find in a snapshot") { try await store.read { _ = try await $0.find(Line.self, id: 7) } }
        try await measure("64 snapshots at a time, each") {
            try await withThrowingTaskGroup { group in
                for number in 0..<64 {
                    group.addTask {
                        try await store.read { context in
                            _ = try await context.find(Line.self, id: number)
                            _ = try await context.fetch(Line.self, where: [.equals(.number, number)])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        for account in ["most", "often", "rare", "first"] {
            try await measure("20 lines of the account '\(account)'") { try await page(of: account, in: store) }
        }
        try await measure("20 lines in a range of dates") {
            let range: [EntityCondition<Line>] = [.isIn(.date, 50_000..<90_000)]
            _ = try await EntityContext(store).fetch(Line.self, where: range, orderedBy: .descending(.date), limit: 20)
        }
        try await measure("10 lines by number") {
            _ = try await EntityContext(store).fetch(Line.self, where: [.isOneOf(.number, Array(100..<110))])
        }
        try store.close()
        return EXIT_SUCCESS
    }

    private static func page(of account: String, in store: SQLiteStore) async throws {
        _ = try await EntityContext(store)
            .page(Line.self, where: [.equals(.account, account)], orderedBy: .descending(.date), limit: 20)
    }

    private static func measure(_ name: String, _ body: () async throws -> Void) async throws {
        try await body()
        var times: [Duration] = []
        let clock = ContinuousClock()
        let start = processorTime()
        while times.count < 10 || times.count < 500 && times.reduce(.zero, +) < .seconds(1) {
            times.append(try await clock.measure(body))
        }
        let used = (processorTime() - start) / Double(times.count)
        let median = times.sorted()[times.count / 2] / .microseconds(1)
        let title = name.padding(toLength: 36, withPad: " ", startingAt: 0)
        print(title, String(format: "%10.1f µs of processor, median %10.1f µs", used, median))
    }

    /// The processor time of the program, in microseconds.
    private static func processorTime() -> Double {
        Double(clock()) / Double(CLOCKS_PER_SEC) * 1_000_000
    }
}

/// A line of an account.
private final class Line: StoredEntity {
    static let entityName = "line"
    static var indexes: [EntityIndex<Line>] { [.account, .date, .number] }

    let id: Int
    let account: String
    let note: String
    var raisedEvents = RaisedEvents()

    init(_ number: Int) {
        id = number
        account =
            switch number {
            case ..<5: "first"
            case _ where number % 20_000 == 0: "rare"
            case _ where number % 100 == 0: "often"
            case _ where number % 2 == 0: "most"
            default: "other"
            }
        note = "the line with the number \(number)"
    }
}

extension EntityIndex where Entity == Line {
    fileprivate static var account: EntityIndex { EntityIndex("account") { $0.account } }
    fileprivate static var date: EntityIndex { EntityIndex("date") { $0.id } }
    fileprivate static var number: EntityIndex { EntityIndex("number", unique: true) { $0.id } }
}
