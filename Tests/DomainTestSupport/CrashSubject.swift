//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

/// A running process of the program `CrashSubject`, which works on a store.
package final class CrashSubject {
    /// Number of times that each test runs the program.
    package static let rounds = ProcessInfo.processInfo.environment["HEADRACE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 2

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let end = DispatchSemaphore(value: 0)
    private var unread = ""

    package init(_ arguments: String...) throws {
        // The tests and the subject are built into one folder.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "CrashSubject")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.terminationHandler = { [end] _ in end.signal() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits until the process ends, and returns the lines that it printed since the last read.
    package func linesToEnd() -> [String] {
        unread += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        end.wait()
        return takeLines()
    }

    /// Waits until the process stops or ends, and returns the lines that it printed.
    ///
    /// Other threads can print lines after the line `stopped`, until the signal stops them.
    package func linesToStop() -> [String] {
        while !unread.contains("stopped\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return takeLines() }
            unread += String(decoding: data, as: UTF8.self)
        }
        Self.waitForStop(of: process)
        while Self.hasData(output.fileHandleForReading) {
            unread += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        return takeLines()
    }

    /// Writes `line` to the standard input of the process.
    package func write(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Waits until the process prints a line, and returns the line; `nil` if the process has ended.
    package func nextLine() -> String? {
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
    package func resume() {
        kill(process.processIdentifier, SIGCONT)
    }

    /// Whether SIGKILL ended the process.
    package var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }

    /// Returns the lines that three processes print: two are killed at `point`, and the third runs to its end.
    ///
    /// A point has the minimum number of its passes until all work is done. `round` sets the number of passes before the kill.
    package static func linesAcrossKills(
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
    package static func linesAcrossStop(
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

    private func takeLines() -> [String] {
        // The text after the last line break is an incomplete line.
        let end = unread.lastIndex(of: "\n") ?? unread.startIndex
        defer { unread = String(unread[end...]) }
        return unread[..<end].split(separator: "\n").map(String.init)
    }
}
