// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceCore

/// A message for the operator, with the cause and the remedy.
///
/// The program prints it, and ends with the exit code 1.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String

    static let noDatabase = ToolFailure(
        description: "No store is named. To fix, add '--database PATH-OR-URL', or set HEADRACE_DATABASE."
    )

    static func noFile(_ path: String) -> ToolFailure {
        ToolFailure(description: "There is no file '\(path)'. To fix, check the name and the folder.")
    }

    static func without(_ trait: String) -> ToolFailure {
        ToolFailure(
            description: "This build has no store of that kind. To fix, build the tool with the traits 'Tool,\(trait)'."
        )
    }

    static func unknownDeadLetters(_ ids: [Int64]) -> ToolFailure {
        let list = ids.map { "\($0)" }.joined(separator: ", ")
        return ToolFailure(
            description: """
                There is no dead letter with the ID \(list), so nothing was changed. To fix, use IDs from \
                'headrace dead-letters'.
                """
        )
    }

    static func unknownSubscription(_ name: String, known: [String]) -> ToolFailure {
        let remedy =
            known.isEmpty
            ? "run the program, whose first delivery creates its subscriptions"
            : "use one of \(known.map { "'\($0)'" }.joined(separator: ", "))"
        return ToolFailure(
            description: "There is no subscription '\(name)', so nothing was changed. To fix, \(remedy)."
        )
    }

    /// Returns the bytes of a file, or of the standard input if the path is `-`.
    static func contents(of path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ToolFailure(
                description: """
                    The file '\(path)' can't be read, so nothing was changed. To fix, check the name and the folder.
                    """
            )
        }
    }

    /// Runs `operation`, and replaces its error by the message of that error.
    static func translating<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let error as any CodedError {
            throw ToolFailure(description: error.message)
        } catch is CancellationError {
            throw ToolFailure(description: "The command was interrupted.")
        }
    }
}
#endif
