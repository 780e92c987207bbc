// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerApplication
import LedgerTestSupport

/// Runs the built `ledger` as a process in a temporary folder.
final class LedgerProcess {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    let folder: URL
    private let schema = TestDatabase.makeSchema()

    /// The ledger of commands without `--database`.
    var location: LedgerDatabase {
        LedgerDatabase(schema ?? folder.appending(path: "ledger.sqlite").path(percentEncoded: false))
    }

    /// The names of the files of this ledger.
    var databaseFiles: [String] { location.path == nil ? [] : ["ledger.sqlite"] }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a file into the folder.
    func write(_ text: String, to name: String) throws {
        let file = folder.appending(path: name).path(percentEncoded: false)
        let isWritten = FileManager.default.createFile(
            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        if !isWritten { throw CocoaError(.fileWriteUnknown) }
    }

    /// Runs `ledger` with `arguments` and waits for its end.
    func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try run(arguments, input: input)
    }

    /// Runs `ledger` with `arguments` and waits for its end.
    func run(_ arguments: [String], input: String = "", after preparation: String? = nil) throws -> Outcome {
        let process = try makeProcess(arguments, after: preparation)
        let standardInput = folder.appending(path: ".input")
        try Data(input.utf8).write(to: standardInput)
        process.standardInput = try FileHandle(forReadingFrom: standardInput)
        // Files instead of pipes: a full pipe would block the process.
        let output = folder.appending(path: ".output")
        let errors = folder.appending(path: ".errors")
        try Data().write(to: output)
        try Data().write(to: errors)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }

    /// Starts `ledger` with `arguments`, in a shell after `preparation` if given, and returns it with its output.
    ///
    /// The process writes its errors to `errors`, which must be read; without a pipe, to the standard error of the tests.
    func start(
        _ arguments: String...,
        after preparation: String? = nil,
        errors: Pipe? = nil
    ) throws -> (process: Process, output: FileHandle) {
        let process = try makeProcess(arguments, after: preparation)
        let pipe = Pipe()
        process.standardOutput = pipe
        if let errors { process.standardError = errors }
        try process.run()
        return (process, pipe.fileHandleForReading)
    }

    private func makeProcess(_ arguments: [String], after preparation: String?) throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "ledger")
        if !FileManager.default.isExecutableFile(atPath: process.executableURL?.path() ?? "") {
            // The test bundle is in the same folder as the executable.
            process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "ledger")
        }
        process.arguments = arguments
        if let preparation, let program = process.executableURL?.path(percentEncoded: false) {
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", preparation + "; exec \"$0\" \"$@\"", program] + arguments
        }
        process.currentDirectoryURL = folder
        if let schema {
            process.environment = ProcessInfo.processInfo.environment.merging(["LEDGER_DATABASE": schema]) { $1 }
        }
        return process
    }

    /// The names of the files in the folder.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { !$0.hasPrefix(".") }.sorted()
    }
}
