// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A running process of the program `CrashSubject`, which works on a store.
package actor CrashSubject {
    /// Number of times that each test runs the program.
    package static let rounds = ProcessInfo.processInfo.environment["HEADRACE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 2

    private let process: ChildProcess
    private var unread = ""

    /// Whether SIGKILL ended the process.
    ///
    /// Known after ``linesToEnd()``.
    package private(set) var wasKilled = false

    package init(_ arguments: String...) throws {
        // The tests and the subject are built into one folder.
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        process = try ChildProcess(path: folder.appending(path: "CrashSubject").path, arguments: arguments)
    }

    /// Waits until the process ends, and returns the lines that it printed since the last read.
    package func linesToEnd() async throws -> [String] {
        while try await readMore() {}
        wasKilled = try await process.waitForEnd() == .signal(SIGKILL)
        return takeLines()
    }

    /// Waits until the process stops or ends, and returns the lines that it printed.
    ///
    /// Other threads can print lines after the line `stopped`, until the signal stops them.
    package func linesToStop() async throws -> [String] {
        while !unread.contains("stopped\n") {
            guard try await readMore() else { return takeLines() }
        }
        try await process.waitForStop()
        unread += String(decoding: try process.readWithoutWaiting(), as: UTF8.self)
        return takeLines()
    }

    /// Writes `line` to the standard input of the process.
    package func write(_ line: String) throws {
        try process.write(line + "\n")
    }

    /// Waits until the process prints a line, and returns the line; `nil` if the process has ended.
    package func nextLine() async throws -> String? {
        while !unread.contains("\n") {
            guard try await readMore() else { return nil }
        }
        let end = unread.firstIndex(of: "\n") ?? unread.endIndex
        defer { unread = String(unread[end...].dropFirst()) }
        return String(unread[..<end])
    }

    /// Resumes the process after it stopped.
    package func resume() {
        process.send(SIGCONT)
    }

    /// Returns the lines that three processes print: two are killed at `point`, and the third runs to its end.
    ///
    /// A point has the minimum number of its passes until all work is done. `round` sets the number of passes before the kill.
    package static func linesAcrossKills(
        of mode: String,
        on path: String,
        at point: (name: String, passes: Int),
        round: Int
    ) async throws -> [String] {
        var lines: [String] = []
        for life in 0..<2 {
            let passes = 1 + (round * 17 + life * 7) % point.passes
            let subject = try CrashSubject(mode, path, "10", point.name, "\(passes)", "\(SIGKILL)")
            lines += try await subject.linesToEnd()
            #expect(await subject.wasKilled, "\(point.name) was not passed \(passes) times")
        }
        let last = try await CrashSubject(mode, path, "1", "none", "1", "\(SIGKILL)").linesToEnd()
        #expect(last.last == "done")
        return lines + last
    }

    /// Returns the lines before and after a process that stopped at `point` is resumed.
    ///
    /// Another process runs to its end while it is stopped.
    package static func linesAcrossStop(
        of mode: String,
        on path: String,
        at point: String,
        round: Int
    ) async throws -> (before: [String], resumed: [String]) {
        let sleeper = try CrashSubject(mode, path, "10", point, "\(1 + round % 3)", "\(SIGSTOP)")
        let lines = try await sleeper.linesToStop()
        #expect(lines.contains("stopped"))
        let other = try await CrashSubject(mode, path, "0", "none", "1", "\(SIGKILL)").linesToEnd()
        #expect(other.last == "done")
        await sleeper.resume()
        let resumed = try await sleeper.linesToEnd()
        #expect(resumed.last == "done")
        return (lines + other, resumed)
    }

    /// Checks the lines of `relay`: nothing that was acknowledged is lost, and each event was handled, in order.
    ///
    /// `handlersCanBeLate` is `true` if a process was stopped and then resumed. A handler that it interrupted finishes
    /// after other processes have delivered the same event and the events after it, so a number can repeat and not be
    /// continued.
    package static func checkDeposits(in lines: [String], stored: [String: Int], handlersCanBeLate: Bool) throws {
        try check("deposited", in: lines, stored: stored)
        var mailed: [String: Int] = [:]
        for line in lines where line.hasPrefix("mailed") {
            let words = line.split(separator: " ")
            let (account, number) = (String(words[1]), try #require(Int(words[2])))
            let latest = mailed[account] ?? 0
            // After a kill, numbers may repeat, and continue in order from there. A number must not be skipped.
            #expect(number <= latest + 1, "\(line) after \(latest)")
            mailed[account] = handlersCanBeLate ? max(latest, number) : number
        }
        #expect(mailed == stored, "the last mail is not about the last event")
    }

    /// Checks that what the lines with `verb` acknowledge is stored.
    package static func check(_ verb: String, in lines: [String], stored: [String: Int]) throws {
        for line in lines where line.hasPrefix(verb) {
            let words = line.split(separator: " ")
            #expect(try stored[String(words[1])] ?? 0 >= #require(Int(words[2])), "acknowledged, but lost: \(line)")
        }
    }

    /// Checks the lines of `count`: the last process has found each acknowledged step in the state and in the stream.
    package static func checkCounts(in lines: [String]) throws {
        var checked: [String: Int] = [:]
        for line in lines where line.hasPrefix("checked") {
            let words = line.split(separator: " ")
            checked[String(words[1])] = Int(words[2])
        }
        #expect(checked.count == 4)
        try check("counted", in: lines, stored: checked)
        let acknowledged = lines.filter { $0.hasPrefix("counted") }
        #expect(Set(acknowledged).count == acknowledged.count, "two steps have the same number")
    }

    /// Waits for output.
    ///
    /// Returns `false` when there is no more.
    private func readMore() async throws -> Bool {
        let data = try await process.read()
        unread += String(decoding: data, as: UTF8.self)
        return !data.isEmpty
    }

    private func takeLines() -> [String] {
        // The text after the last line break is an incomplete line.
        let end = unread.lastIndex(of: "\n") ?? unread.startIndex
        defer { unread = String(unread[end...]) }
        return unread[..<end].split(separator: "\n").map(String.init)
    }
}
