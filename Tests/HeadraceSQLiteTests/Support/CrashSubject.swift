//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import Testing

/// A running process of the program `CrashSubject`, which works on a store.
final class CrashSubject {
    /// Number of times that each test runs the program.
    static let rounds = ProcessInfo.processInfo.environment["HEADRACE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 2

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = ""

    init(_ arguments: String...) throws {
        // The tests and the subject are built into one folder.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "CrashSubject")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits until the process ends, and returns the lines that it printed since the last read.
    func linesToEnd() -> [String] {
        unread += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return takeLines()
    }

    /// Waits until the process stops or ends, and returns the lines that it printed.
    func linesToStop() -> [String] {
        while !unread.contains("stopped\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            unread += String(decoding: data, as: UTF8.self)
        }
        return takeLines()
    }

    /// Writes `line` to the standard input of the process.
    func write(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Waits until the process prints a line, and returns the line; `nil` if the process has ended.
    func nextLine() -> String? {
        while !unread.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            unread += String(decoding: data, as: UTF8.self)
        }
        let end = unread.firstIndex(of: "\n") ?? unread.endIndex
        defer { unread = String(unread[end...].dropFirst()) }
        return String(unread[..<end])
    }

    /// Resumes the process after it stopped.
    func resume() {
        kill(process.processIdentifier, SIGCONT)
    }

    /// Whether SIGKILL ended the process.
    var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }

    /// Returns the lines that three processes print: two are killed at `point`, and the third runs to its end.
    ///
    /// A point has the minimum number of its passes until all work is done. `round` sets the number of passes before the kill.
    static func linesAcrossKills(
        of mode: String,
        on path: String,
        at point: (name: String, passes: Int),
        round: Int
    ) throws -> [String] {
        var lines: [String] = []
        for life in 0..<2 {
            let passes = 1 + (round * 17 + life * 7) % point.passes
            let subject = try CrashSubject(mode, path, "10", point.name, "\(passes)", "\(SIGKILL)")
            lines += subject.linesToEnd()
            #expect(subject.wasKilled, "\(point.name) was not passed \(passes) times")
        }
        let last = try CrashSubject(mode, path, "1", "none", "1", "\(SIGKILL)").linesToEnd()
        #expect(last.last == "done")
        return lines + last
    }

    /// Returns the lines before and after a process that stopped at `point` is resumed.
    ///
    /// Another process runs to its end while it is stopped.
    static func linesAcrossStop(
        of mode: String,
        on path: String,
        at point: String,
        round: Int
    ) throws -> (before: [String], resumed: [String]) {
        let sleeper = try CrashSubject(mode, path, "10", point, "\(1 + round % 3)", "\(SIGSTOP)")
        let lines = sleeper.linesToStop()
        #expect(lines.contains("stopped"))
        let other = try CrashSubject(mode, path, "0", "none", "1", "\(SIGKILL)").linesToEnd()
        #expect(other.last == "done")
        sleeper.resume()
        let resumed = sleeper.linesToEnd()
        #expect(resumed.last == "done")
        return (lines + other, resumed)
    }

    private func takeLines() -> [String] {
        // The text after the last line break is an incomplete line.
        let end = unread.lastIndex(of: "\n") ?? unread.startIndex
        defer { unread = String(unread[end...]) }
        return unread[..<end].split(separator: "\n").map(String.init)
    }
}
#endif
