// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring

/// Measures events from commit to acknowledgement, and compares them with insertions of the same rows with GRDB alone.
@main
enum RelayBenchmark {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let sizes = arguments.contains("--large") ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]
        let isChecked = arguments.contains("--check")
        runToExit {
            print("stored     end to end/s  drain/s   raw GRDB/s  ratio  bytes/event pending  after")
            var rates: [Double] = []
            for size in sizes {
                let row = try await inTemporaryFolder { try await Row(stored: size, in: $0) }
                print(row)
                rates.append(row.endToEnd)
                if isChecked, row.ratio < 0.2 { return EXIT_FAILURE }
            }
            let slow = try await inTemporaryFolder { try await SlowHandler(in: $0) }
            print(slow)
            let isFlat = (rates.min() ?? 0) >= 0.7 * (rates.max() ?? 0)
            return isChecked && !(isFlat && slow.growth < 64) ? EXIT_FAILURE : EXIT_SUCCESS
        }
    }

    private static func inTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "relay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

/// One row of the table: medians of nine rounds on a store of a given size.
struct Row: CustomStringConvertible {
    let stored: Int
    let endToEnd: Double
    let drain: Double
    let raw: Double
    let bytesPending: Double
    let bytesAfter: Double

    /// Median of the ratios of the rounds.
    ///
    /// The floor is measured before and after, because the speed of a disk changes by the second.
    let ratio: Double

    private static let count = 10_000

    init(stored: Int, in folder: URL) async throws {
        let workload = try Workload(in: folder)
        try await workload.fill(stored)
        var rounds: [(endToEnd: Double, drain: Double, raw: Double)] = []
        var bytes = (pending: 0.0, after: 0.0)
        for round in 0..<9 {
            let raw = try RawDeliveries.insert(Self.count, into: folder.appending(path: "raw-\(round).sqlite"))
            let together = try await workload.deliver(Self.count)
            let rawAgain = try RawDeliveries.insert(
                Self.count, into: folder.appending(path: "raw-again-\(round).sqlite"))
            let before = try workload.byteCount()
            try await workload.commit(Self.count)
            bytes.pending = Double(try workload.byteCount() - before) / Double(Self.count)
            let drain = try await workload.drain(Self.count)
            bytes.after = Double(try workload.byteCount() - before) / Double(Self.count)
            rounds.append((together, drain, (raw + rawAgain) / 2))
        }
        self.stored = stored
        endToEnd = median(rounds.map(\.endToEnd))
        drain = median(rounds.map(\.drain))
        raw = median(rounds.map(\.raw))
        ratio = median(rounds.map { $0.endToEnd / $0.raw })
        (bytesPending, bytesAfter) = bytes
    }

    var description: String {
        let columns: [(Double, Int, Int)] = [
            (Double(stored), 9, 0), (endToEnd, 12, 0), (drain, 9, 0), (raw, 11, 0), (ratio, 6, 2),
            (bytesPending, 14, 0),
            (bytesAfter, 10, 0),
        ]
        return columns.map { value, width, digits in
            String(format: "%\(width).\(digits)f", value)
        }.joined(separator: " ")
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
