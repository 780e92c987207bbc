// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceCore
import HeadraceStorage

/// The result of a command.
protocol Report: Encodable {
    /// The result as text for a person, one line each.
    var lines: [String] { get }
}

extension Report {
    /// Prints the result as JSON or as text.
    ///
    /// - Throws: The error of the encoding.
    func print(asJSON: Bool) throws {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            Console.write(String(decoding: try encoder.encode(self), as: UTF8.self))
        } else {
            for line in lines { Console.write(line.withoutControlCharacters) }
        }
    }
}

/// The number of rows that a command has changed.
struct ChangeReport: Report {
    let count: Int

    private let text: String

    private enum CodingKeys: CodingKey { case count }

    /// Creates the report: `singular` or `plural` names the rows, and `what` says what has happened to them.
    init(_ count: Int, _ singular: String, _ plural: String, _ what: String) {
        self.count = count
        text = "\(count) \(count == 1 ? singular : plural) \(what)."
    }

    var lines: [String] { [text] }
}

extension Date {
    /// The date in ISO 8601, in UTC, to the second.
    var text: String { formatted(.iso8601) }
}

extension String {
    /// The text with a replacement for each control character, which a terminal would execute.
    fileprivate var withoutControlCharacters: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 })
        )
    }
}

/// The standard output, which a test replaces.
enum Console {
    /// Receives each line.
    @TaskLocal static var receive: @Sendable (String) -> Void = { print($0) }

    /// Writes a line.
    static func write(_ line: String) { receive(line) }
}

/// A dead letter with its message.
struct DeadLetterReport: Report {
    let id: Int64
    let subscription: String
    let attempts: Int
    let givenUp: Date
    let reason: String

    /// Whether an operator has corrected the content of the message.
    let isCorrected: Bool

    /// The message; `nil` if it is no longer stored.
    let message: MessageReport?

    init(_ letter: DeadLetter) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        givenUp = letter.date
        reason = letter.reason
        isCorrected = letter.isCorrected
        message = MessageReport(letter.content)
    }

    var lines: [String] {
        var lines = [
            "ID: \(id)",
            "subscription: \(subscription)",
            "attempts: \(attempts)",
            "given up: \(givenUp.text)",
            "reason: \(reason)",
        ]
        guard let message else { return lines + ["message: no longer stored"] }
        lines.append("\(message.kind): \(message.name), version \(message.version), ID \(message.id)")
        if let position = message.position { lines.append("position: \(position)") }
        if let stream = message.stream { lines.append("stream: \(stream)") }
        lines.append("date: \(message.date.text)")
        return lines + ["\(isCorrected ? "corrected content" : "content"): \(message.content)"]
    }

    /// The dead letter as one line.
    var line: String {
        let first = reason.split(separator: "\n", maxSplits: 1).first ?? ""
        return "\(id)  \(givenUp.text)  \(subscription)  \(message?.name ?? "(no longer stored)")  \(first)"
    }
}

/// A page of dead letters.
struct DeadLetterList: Report {
    let deadLetters: [DeadLetterReport]

    var lines: [String] {
        deadLetters.isEmpty ? ["There are no dead letters."] : deadLetters.map(\.line)
    }
}

/// The message of a delivery or of a dead letter.
struct MessageReport: Encodable {
    let kind: String
    let name: String
    let version: Int
    let id: UUID

    /// The position in the log, if it is an event.
    let position: Int64?

    let stream: String?

    /// The time at which an event was recorded, or at which a scheduled message was due.
    let date: Date

    /// The stored JSON, as text.
    let content: String

    /// Creates the report; `nil` if the message is no longer stored.
    init?(_ message: Delivery.Content) {
        guard let stored = message.message else { return nil }
        if case .scheduled(let scheduled) = message { kind = scheduled.kind.rawValue } else { kind = "event" }
        if case .event(let record) = message { position = record.position } else { position = nil }
        name = stored.name
        version = stored.version
        id = stored.id
        stream = stored.stream.map { "\($0)" }
        date = stored.date
        content = String(decoding: stored.json, as: UTF8.self)
    }
}

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
