// SPDX-License-Identifier: Apache-2.0

import CustomDump
import HeadraceCore
import IssueReporting
import Synchronization

/// The text form of a state.
///
/// It allows a comparison of states that aren't `Equatable`.
struct StateDump {
    /// A line of the dump.
    private struct DumpLine {
        var text: String

        /// Names of the properties that lead to this line.
        let path: [String]
    }

    private let lines: [DumpLine]

    init(of state: some Any) {
        var lines: [DumpLine] = []
        var path: [String] = []
        var hiddenDepth: Int?
        for line in String(customDumping: state).split(separator: "\n", omittingEmptySubsequences: false) {
            let depth = line.prefix { $0 == " " }.count / 2
            let content = line.dropFirst(depth * 2)
            if let hidden = hiddenDepth {
                if depth > hidden || depth == hidden && content.first == ")" { continue }
                hiddenDepth = nil
            }
            var label = content.contains(": ") ? String(content.prefix { $0 != ":" }) : ""
            var text = String(line)
            // The Observation macro adds `_$…` properties and renames stored properties to `_…`.
            if label.hasPrefix("_$") {
                hiddenDepth = depth
                continue
            }
            if label.hasPrefix("_") {
                label.removeFirst()
                text = String(repeating: "  ", count: depth) + content.dropFirst()
            }
            path = Array(path.prefix(depth)) + Array(repeating: "", count: max(0, depth - path.count)) + [label]
            lines.append(DumpLine(text: text, path: path))
        }
        self.lines = lines
    }

    /// Returns the properties that differ between two new instances, such as a UUID.
    func unstablePaths(comparedWith other: StateDump) -> Set<[String]> {
        guard lines.count == other.lines.count else { return [] }
        return Set(zip(lines, other.lines).filter { $0.text != $1.text }.map(\.0.path))
    }

    /// Returns the text without the values of `unstable` properties.
    func text(without unstable: Set<[String]>) -> String {
        lines.map { line in
            guard unstable.contains(line.path) else { return line.text }
            let indentation = line.text.prefix { $0 == " " }
            return "\(indentation)\(line.path.last ?? ""): (differs for each instance)"
        }.joined(separator: "\n")
    }
}

/// The destination of issues of a test station: the running test, or ``exploreSchedules(seeds:fileID:filePath:line:column:_:)``.
struct IssueSink: Sendable {
    /// The source location of an issue.
    struct Location: Sendable {
        let fileID: StaticString
        let filePath: StaticString
        let line: UInt
        let column: UInt
    }

    @TaskLocal static var current = IssueSink { message, location in
        reportIssue(
            message,
            fileID: location.fileID,
            filePath: location.filePath,
            line: location.line,
            column: location.column
        )
    }

    let report: @Sendable (String, Location) -> Void
}

/// The result of an action that a test has poured with `pour(_:returning:)`.
public struct TestResult<Value: Sendable>: Sendable {
    let get: @Sendable () async throws -> Value

    /// The value of the result.
    ///
    /// It is read when all effects have ended or wait. Advance the clock first if the effects need time.
    ///
    /// - Throws: The errors of `pour(_:returning:)` of a station; `StationError` with the code `noResult` also while the
    ///   effects are waiting.
    public var value: Value {
        get async throws { try await get() }
    }
}

/// A result that a test station awaits.
struct AwaitedTestResult {
    /// The action, as text.
    let action: String

    let get: () throws -> any Sendable

    /// Whether the test has read the result.
    var isAsserted = false
}

/// Repeats `scenario` with other schedules of its effects, and reports the first seed that fails.
///
/// ```swift
/// await exploreSchedules(seeds: 0..<200) { seed in
///     let station = TestStation(initialState: Search.State()) { Search() }
///     await station.pour(.typed("t")) { $0.text = "t" }
///     await station.pour(.typed("tea")) { $0.text = "tea" }
///     await station.advance(by: .milliseconds(300))
///     await station.receive(.found(["teapot"])) { $0.results = ["teapot"] }
///     await station.finish()
/// }
/// ```
///
/// Whenever several effects of a ``TestStation`` can continue, the seed determines which effect continues first. The same
/// seed leads to the same schedule. A schedule fails if `scenario` throws or a test station reports an issue. Your own
/// expectations report their issues themselves; include `seed` in their comments.
///
/// Only the effects of stations are ordered. `Simulation.explore` of `HeadraceSimulation` orders all other code as well, such as
/// actors and relays, and test stations in it take their schedules from its seed.
///
/// - Parameters:
///   - seeds: The seeds of the schedules.
///   - fileID: The file ID for reported issues.
///   - filePath: The file path for reported issues.
///   - line: The line for reported issues.
///   - column: The column for reported issues.
///   - scenario: The test. It must create its test stations itself.
public nonisolated(nonsending) func exploreSchedules(
    seeds: some Sequence<UInt64>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ scenario: nonisolated(nonsending) (_ seed: UInt64) async throws -> Void
) async {
    let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
    for seed in seeds {
        let issues = Mutex<[String]>([])
        let sink = IssueSink { message, _ in issues.withLock { $0.append(message) } }
        do {
            try await ScheduleSeed.$current.binding(seed) {
                try await IssueSink.$current.binding(sink) { try await scenario(seed) }
            }
        } catch {
            sink.report("The scenario threw an error: \(error)", location)
        }
        let messages = issues.withLock(\.self)
        if !messages.isEmpty {
            IssueSink.current.report(
                "The schedule with the seed \(seed) fails:\n\n\(messages.joined(separator: "\n\n"))",
                location
            )
            return
        }
    }
}
