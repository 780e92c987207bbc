// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay

/// Another process on the store: `commit SCHEMA CALLERS SECONDS`, `relay SCHEMA`, or `hang SCHEMA`.
struct Worker {
    let url: String
    let arguments: [String]

    func run() async throws {
        let subject = try await Subject(url: url, schema: arguments[1])
        say("ready")
        // The parent starts all workers at the same time.
        _ = readLine()
        switch arguments[0] {
        case "commit":
            let (callers, seconds) = (Int(arguments[2]) ?? 0, Double(arguments[3]) ?? 0)
            let prefix = "\(ProcessInfo.processInfo.processIdentifier)"
            say("\(try await subject.commit(callers: callers, seconds: seconds, prefix: prefix).count)")
        case "hang":
            let tally = Tally()
            var configuration = Rows.quickLeases
            configuration.concurrency = 1
            let relay = subject.relay(Hang.self, tally: tally, configuration: configuration)
            Task {
                await tally.wait(for: 1)
                say("handling")
            }
            try await relay.run()
        default:
            let tally = Tally()
            let relay = subject.relay(Count.self, tally: tally)
            let running = Task { try await relay.run() }
            // The parent ends the worker.
            while true {
                try await Task.sleep(for: .milliseconds(10))
                say("\(tally.count)")
                if running.isCancelled { break }
            }
        }
    }
}

/// A worker as its parent sees it.
final class WorkerProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["worker"] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = readLine()
    }

    func start() {
        input.fileHandleForWriting.write(Data("go\n".utf8))
    }

    /// Returns the next line that the worker prints, or `nil` at the end.
    func readLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Ends the worker without warning.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func wait() { process.waitUntilExit() }
}
