// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage

/// The table: medians over the rounds, in milliseconds.
struct Report {
    /// Raw insertions of the same rows, in one transaction.
    var oneTransaction: [Time] = []

    /// Raw insertions of the same rows, with one SQLite transaction for each transaction of the ledger.
    var oneEach: [Time] = []

    /// The same JSON with one encoder.
    var encoding: [Time] = []

    private var phases: [Laps.Phase: [Time]] = [:]
    private var written = ""

    /// Adds a round.
    mutating func add(_ laps: Laps, of changes: ChangeSet) {
        for (phase, time) in laps.times { phases[phase, default: []].append(time) }
        let entries = changes.writes.reduce(0) { $0 + $1.addedEntries.count }
        written = "\(changes.writes.count) documents, \(entries) index entries, \(changes.events.count) events"
    }

    /// Prints the table.
    func print() {
        let medians = phases.mapValues { Time.median($0) }
        let total = medians.values.reduce(Time(), +)
        let commit = medians[.commit] ?? Time()
        Swift.print("One import, \(written)\n")
        Swift.print("                                               wall, ms           processor, ms")
        for phase in Laps.Phase.allCases {
            row(phase.rawValue, medians[phase] ?? Time(), of: total)
        }
        row("all", total, of: total)
        row("all but the SQLite commit", total - commit, of: total)
        guard !oneTransaction.isEmpty else { return }

        Swift.print("\nFloors\n")
        row("raw GRDB, the same rows in one transaction", Time.median(oneTransaction), of: total)
        row("raw GRDB, a transaction per transaction", Time.median(oneEach), of: total)
        row("the same JSON, one encoder", Time.median(encoding), of: total)
    }

    private func row(_ name: String, _ time: Time, of total: Time) {
        let space = String(repeating: " ", count: max(1, 44 - name.count))
        let wall = String(format: "%9.1f  %5.1f%%", time.wall, 100 * time.wall / total.wall)
        let processor = String(format: "%9.1f  %5.1f%%", time.processor, 100 * time.processor / total.processor)
        Swift.print(name + space + wall + "     " + processor)
    }
}
