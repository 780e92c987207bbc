// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
package import HeadraceTesting
import Testing

/// The program `CrashSubject`, which works on a store.
package enum CrashSubject {
    /// Number of times that each test runs the program.
    package static let rounds = ProcessInfo.processInfo.environment["HEADRACE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 2

    /// Starts a process, which sends `signal` to itself at a pass of `point`.
    package static func start(
        _ arguments: String...,
        at point: String? = nil,
        pass: Int = 1,
        signal: Int32 = SIGKILL
    ) throws -> CrashProcess {
        let fault = point.map { CrashFault(FaultPoint(rawValue: $0), pass: pass, signal: signal) }
        return try CrashProcess("CrashSubject", arguments, fault: fault)
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
            let subject = try start(mode, path, "10", at: point.name, pass: passes)
            lines += try await subject.linesToEnd()
            #expect(await subject.wasKilled, "\(point.name) was not passed \(passes) times")
        }
        let last = try await start(mode, path, "1").linesToEnd()
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
        let sleeper = try start(mode, path, "10", at: point, pass: 1 + round % 3, signal: SIGSTOP)
        let lines = try await sleeper.linesToStop()
        #expect(await sleeper.hasStopped)
        let other = try await start(mode, path, "0").linesToEnd()
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

    /// Checks that what the lines with `verb` acknowledge is stored, each once.
    ///
    /// A later process continues with the stored number, so it acknowledges a lost number again.
    package static func check(_ verb: String, in lines: [String], stored: [String: Int]) throws {
        var acknowledged: Set<String> = []
        for line in lines where line.hasPrefix(verb) {
            let words = line.split(separator: " ")
            #expect(try stored[String(words[1])] ?? 0 >= #require(Int(words[2])), "acknowledged, but lost: \(line)")
            #expect(acknowledged.insert(line).inserted, "acknowledged, lost, and acknowledged again: \(line)")
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
    }

    /// Checks the lines of `work`: each workflow has ended as it should, and its steps have called others with one key each.
    package static func checkWorkflows(in lines: [String]) {
        var keys: [Substring: Set<Substring>] = [:]
        var started: Set<Substring> = []
        var finished: Set<Substring> = []
        for line in lines {
            let words = line.split(separator: " ")
            switch words[0] {
            case "started": started.insert(words[1])
            case "called": keys[words[1], default: []].insert(words[2])
            case "finished":
                finished.insert(words[1])
                #expect(words[2] == "15", "\(line)")
            default: #expect(line == "done")
            }
        }
        #expect(started.isSubset(of: finished), "a workflow that was started is lost")
        #expect(Set(keys.keys) == finished)
        #expect(keys.values.allSatisfy { $0.count == 1 }, "a step has called another system with two keys")
    }
}
