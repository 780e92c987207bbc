// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerBooks

/// The hledger program, with which the tests compare results.
enum Hledger {
    /// The comment of tests that are skipped because hledger isn't installed.
    static let absence = "hledger is not on PATH. Install it (Debian: apt-get install hledger) to compare with it."

    /// Whether hledger is installed.
    static var isInstalled: Bool { path != nil }

    private static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/hledger" }.first(where: FileManager.default.isExecutableFile)
    }()

    /// The result of a run of hledger.
    struct Outcome {
        let succeeded: Bool
        let output: String
        let complaint: String
    }

    /// hledger's error message for a refused journal.
    struct Refused: Error {
        let complaint: String
    }

    /// The balances of the real postings of all `journals` together.
    static func balances(of journals: [URL]) throws -> AccountBalances {
        let outcome = try run(
            journals.flatMap { ["-f", $0.path] }
                + ["balance", "--real", "--flat", "--no-total", "--empty", "--layout=bare", "-O", "csv"]
        )
        guard outcome.succeeded else { throw Refused(complaint: outcome.complaint) }
        var balances = AccountBalances()
        for row in CSVRows(outcome.output).dropFirst() where row.count == 3 {
            // The last column has no digit groups, so a comma is a decimal mark.
            guard let quantity = Quantity(row[2].replacing(",", with: ".")) else { continue }
            try balances.add(Amount(quantity, row[1]), to: row[0])
        }
        return balances
    }

    /// Whether hledger accepts the journal in `text`.
    static func accepts(_ text: String) throws -> Bool {
        try withJournals([text]) { try run(["-f", $0[0].path, "balance"]).succeeded }
    }

    /// Runs `body` with files that contain `texts`, then removes them.
    static func withJournals<Result>(_ texts: [String], _ body: ([URL]) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try texts.enumerated().map { index, text in
            let file = folder.appendingPathComponent("\(index).journal")
            try Data(text.utf8).write(to: file)
            return file
        }
        return try body(files)
    }

    private static func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "/nonexistent")
        process.arguments = arguments
        process.environment = ["LC_ALL": "C.UTF-8"]
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString).txt")
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        // Read to the end before waiting. Otherwise a full pipe would block hledger.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(
            succeeded: process.terminationStatus == 0,
            output: text,
            complaint: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }
}

/// The rows of a CSV text with quotes around all fields.
private func CSVRows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = ""
    var isQuoted = false
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
        switch scalar {
        case "\"" where isQuoted && scalars.first == "\"":
            field.unicodeScalars.append("\"")
            scalars.removeFirst()
        case "\"": isQuoted.toggle()
        case "," where !isQuoted:
            row.append(field)
            field = ""
        case "\n" where !isQuoted:
            rows.append(row + [field])
            row = []
            field = ""
        default: field.unicodeScalars.append(scalar)
        }
    }
    return rows
}
