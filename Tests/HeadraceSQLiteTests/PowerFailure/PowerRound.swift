// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
@testable import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting

/// A new disk, and a store on it.
///
/// The power of the machine fails twice.
///
/// After each failure, the round compares the content of the store with the promises.
struct PowerRound {
    private static let taskCount = 4

    private let machine: PowerMachine
    private var random: SeededGenerator
    private var remains = PowerRemains()
    private let history = PowerHistory()

    private init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        machine = PowerMachine(seed: random.next(), sectorSize: random.below(2) == 0 ? 512 : 4_096)
    }

    /// Runs the round with `seed`, and returns its violations.
    ///
    /// The order in which its tasks interleave doesn't follow from the seed.
    static func run(seed: UInt64) async -> [String] {
        do {
            return try await run(PowerRound(seed: seed))
        } catch {
            return ["after the power came back: \(error)"]
        }
    }

    private static func run(_ new: PowerRound) async throws -> [String] {
        var round = new
        var violations: [String] = []
        var store: SQLiteStore?
        for life in 0..<2 where violations.isEmpty {
            let now = Date(timeIntervalSince1970: 1_700_000_000 + Double(life) * 1_000)
            round.loadFailure()
            await round.live(life, in: store, from: now)
            round.machine.start()
            let next = try round.machine.openStore()
            violations = try await round.check(next, at: now).map { "after failure \(life + 1): \($0)" }
            if round.random.below(2) == 0 {
                store = next
            } else {
                try next.close()
                store = nil
            }
        }
        try store?.close()
        let files = round.machine.destroy()
        return violations + (files == 0 ? [] : ["\(files) files are open at the end"])
    }

    /// Decides when the power fails.
    private mutating func loadFailure() {
        if random.below(2) == 0 {
            machine.failPower(atSync: 1 + random.below([5, 25, 100][random.below(3)]))
        } else {
            machine.failPower(atCall: 1 + random.below([50, 300, 1_500][random.below(3)]))
        }
    }

    /// Works on `store` until the power fails; opens the store first if it is `nil`.
    private mutating func live(_ life: Int, in store: SQLiteStore?, from now: Date) async {
        do {
            let store = try store ?? machine.openStore()
            defer { try? store.close() }
            let pages = [2, 10, 50, 1_000][random.below(4)]
            try await store.connections.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA wal_autocheckpoint = \(pages)")
            }
            let largest = [10, 1_000, 9_000][random.below(3)]
            let counters = remains.counters
            await withTaskGroup { group in
                for number in 0..<Self.taskCount {
                    var task = PowerTask(
                        name: "\(number)",
                        life: life,
                        store: store,
                        machine: machine,
                        history: history,
                        now: now,
                        largestDocument: largest,
                        random: SeededGenerator(seed: random.next()),
                        counter: counters["\(number)"] ?? 0
                    )
                    group.addTask { await task.run() }
                }
            }
        } catch {
            if !machine.isOff { history.report("while the power was on: \(error)") }
        }
        machine.failPower()
    }

    /// Reads the remaining content, and returns its contradictions to the promises.
    private mutating func check(_ store: SQLiteStore, at now: Date) async throws -> [String] {
        remains = try PowerRemains(store)
        let survivors = remains.survivors(of: history.current)
        var violations = remains.violations(after: history.current)
        let leases = history.current.required(with: survivors).compactMap { effect -> Lease? in
            if case .lease(let lease) = effect { return lease }
            return nil
        }
        let lost = try await store.renew(leases, until: now.addingTimeInterval(100))
        if !lost.isEmpty { violations.append("\(lost) are lost, but later changes survived") }
        history.continueAfterFailure(with: survivors)
        return violations
    }
}
#endif
