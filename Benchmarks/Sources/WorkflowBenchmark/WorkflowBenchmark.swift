// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceWorkflows
import Measuring

/// Measures workflows of three steps against three durable commands, the continuation of a long instance, and the memory of sleepers.
@main
enum WorkflowBenchmark {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isChecked = arguments.contains("--check")
        runToExit {
            let steps = try await Steps()
            print(steps)
            let continuation = try await inTemporaryFolder { try await Continuation(in: $0) }
            print(continuation)
            let sleepers = try await inTemporaryFolder { try await Sleepers(in: $0) }
            print(sleepers)
            let isGood = steps.ratio >= 0.7 && continuation.milliseconds < 10 && sleepers.megabytes <= 50
            return isChecked && !isGood ? EXIT_FAILURE : EXIT_SUCCESS
        }
    }
}

func inTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "workflow-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Workflows of three commands, and as many durable commands: the medians of five rounds.
struct Steps: CustomStringConvertible {
    private static let count = 1_000

    /// Workflows a second.
    let workflows: Double

    /// Groups of three commands a second.
    let commands: Double

    /// The median of the ratios; the commands are measured before and after the workflows, because the speed of a disk changes.
    let ratio: Double

    init() async throws {
        var rounds: [(workflows: Double, commands: Double)] = []
        for _ in 0..<5 {
            let before = try await Self.rate { try await $0.sendCommands(Self.count) }
            let workflows = try await Self.rate { try await $0.startWorkflows(Self.count) }
            let after = try await Self.rate { try await $0.sendCommands(Self.count) }
            rounds.append((workflows, (before + after) / 2))
        }
        workflows = median(rounds.map(\.workflows))
        commands = median(rounds.map(\.commands))
        ratio = median(rounds.map { $0.workflows / $0.commands })
    }

    private static func rate(_ start: @escaping @Sendable (Shop) async throws -> Void) async throws -> Double {
        try await inTemporaryFolder { folder in
            let shop = try await Shop(in: folder)
            let begin = ContinuousClock.now
            try await shop.withRelay { try await shop.add(3 * count) { try await start(shop) } }
            return Double(count) / (begin.duration(to: .now) / .seconds(1))
        }
    }

    var description: String {
        String(
            format: "three steps: %.0f workflows a second, %.0f times three commands, ratio %.2f", workflows, commands,
            ratio)
    }
}

/// An instance of a thousand steps goes on in a process that hasn't seen it, compared with an instance of one step: the medians of nine.
struct Continuation: CustomStringConvertible {
    /// The time from the event to the next step, in milliseconds.
    let milliseconds: Double

    /// The same of an instance of one step: the commits of the event, of its delivery, and of the step.
    let shortMilliseconds: Double

    init(in folder: URL) async throws {
        var times: [Int: [Double]] = [:]
        for number in 0..<9 {
            for steps in [1, 1_000] {
                let place = folder.appending(path: "\(number)-\(steps)")
                try await Shop(in: place).startLong(steps: steps)
                times[steps, default: []].append(try await Shop(in: place).finishLong() / .milliseconds(1))
            }
        }
        shortMilliseconds = median(times[1] ?? [])
        milliseconds = median(times[1_000] ?? [])
    }

    var description: String {
        String(format: "1,000 steps: goes on after %.1f ms; one step: after %.1f ms", milliseconds, shortMilliseconds)
    }
}

/// The memory that 100,000 instances add while they sleep.
struct Sleepers: CustomStringConvertible {
    let megabytes: Double

    init(in folder: URL) async throws {
        let shop = try await Shop(in: folder)
        megabytes = try await shop.withRelay {
            try await shop.add(1_000) { try await shop.startSleepers(1_000) }
            let before = Self.resident
            try await shop.add(100_000) { try await shop.startSleepers(100_000) }
            return Double(Self.resident - before) / 1_048_576
        }
    }

    private static var resident: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: { !$0.isNumber }).first).flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
    }

    var description: String { String(format: "100,000 sleeping instances: %.1f MB", megabytes) }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
