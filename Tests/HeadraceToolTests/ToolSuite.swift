// SPDX-License-Identifier: Apache-2.0

#if Tool && SQLite
import ArgumentParser
import Synchronization

@testable import HeadraceTool

/// A suite that runs the tool in its own process.
protocol ToolSuite {}

extension ToolSuite {
    /// Runs the tool and returns the lines that it prints.
    func run(_ arguments: String...) async throws -> [String] {
        try await run(arguments)
    }

    func run(_ arguments: [String]) async throws -> [String] {
        let lines = Mutex<[String]>([])
        let receive: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        var command = try HeadraceTool.parseAsRoot(arguments)
        try await Console.$receive.withValue(receive) {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        }
        return lines.withLock { $0 }
    }

    /// Returns the message of the error that the tool ends with.
    func failure(_ arguments: String...) async -> String {
        await failure(arguments)
    }

    func failure(_ arguments: [String]) async -> String {
        do {
            _ = try await run(arguments)
            return "no error"
        } catch {
            return HeadraceTool.message(for: error)
        }
    }
}
#endif
