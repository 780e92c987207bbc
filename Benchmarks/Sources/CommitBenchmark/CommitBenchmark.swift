// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring

/// Compares durable commits with the raw driver, for one caller and for 64, an event raised in the transaction of a program, and
/// finding an entity by its key.
@main
enum CommitBenchmark {
    static func main() {
        if CommandLine.arguments.contains("--reads") { runToExit { try await inTemporaryFolder(Reads.run) } }
        let isChecked = CommandLine.arguments.contains("--check")
        runToExit {
            var rounds: [Round] = []
            for number in 0..<9 { rounds.append(try await inTemporaryFolder { try await Round(number, in: $0) }) }
            let one = rounds.map(\.one)
            let many = rounds.map(\.many)
            let figures = [
                // The goal is 0.85. A third of a unit of work is JSON encoding, which raw rows don't need.
                Figure("one caller", of: one, against: rounds.map(\.rawAwaited), "raw, each awaited", 0.55),
                Figure("one caller", of: one, against: rounds.map(\.rawOne), "raw, in a loop", nil),
                Figure("64 callers", of: many, against: one, "one caller", 5),
                Figure("64 callers", of: many, against: rounds.map(\.rawMany), "raw, 64 to a transaction", 0.3),
                Figure("row and event", of: rounds.map(\.raising), against: rounds.map(\.rowsOnly), "row", 0.625),
                Figure("find", of: rounds.map(\.finds), against: rounds.map(\.rawFinds), "raw, each awaited", nil),
            ]
            print("of               a second  against                    a second   ratio  at least")
            for figure in figures { print(figure) }
            return isChecked && figures.contains { !$0.isMet } ? EXIT_FAILURE : EXIT_SUCCESS
        }
    }

    private static func inTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "commit-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

/// One row of the table: the medians of two rates, and the median of their ratios.
struct Figure: CustomStringConvertible {
    let name: String
    let other: String
    let rate: Double
    let otherRate: Double
    let ratio: Double
    let bound: Double?

    init(_ name: String, of rates: [Double], against others: [Double], _ other: String, _ bound: Double?) {
        self.name = name
        self.other = other
        self.bound = bound
        rate = Self.median(rates)
        otherRate = Self.median(others)
        ratio = Self.median(zip(rates, others).map { $0 / $1 })
    }

    var isMet: Bool { bound.map { ratio >= $0 } ?? true }

    var description: String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return padded(name, 14) + String(format: "%11.0f  ", rate) + padded(other, 25)
            + String(format: "%10.0f %7.2f", otherRate, ratio)
            + (bound.map { String(format: "%10.2f", $0) } ?? "") + (isMet ? "" : "  MISSED")
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
