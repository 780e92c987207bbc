// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring

/// Measures the time of each phase of an import, and the time of SQLite alone for the same rows.
@main
enum ImportBenchmark {
    static func main() {
        runToExit {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let folder = FileManager.default.temporaryDirectory.appending(path: "import-benchmark-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }

            let journal = options.journal.map { URL(filePath: $0) } ?? folder.appending(path: "generated.journal")
            if options.journal == nil { try GeneratedJournal.bytes(transactions: 1_000).write(to: journal) }

            var report = Report()
            for round in 0..<options.rounds {
                let database = folder.appending(path: "books-\(round).sqlite")
                let (laps, changes) = try await Import.run(journal, into: database)
                report.add(laps, of: changes)
                if options.hasFloors {
                    let rows = try RawRows(of: database)
                    report.oneTransaction.append(
                        try rows.insertAtOnce(into: folder.appending(path: "at-once-\(round).sqlite"))
                    )
                    report.oneEach.append(
                        try rows.insertOneByOne(into: folder.appending(path: "one-by-one-\(round).sqlite"))
                    )
                    report.encoding.append(try Encoding.time(of: changes))
                }
            }
            report.print()
            return EXIT_SUCCESS
        }
    }
}
