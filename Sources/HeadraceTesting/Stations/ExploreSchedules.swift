// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

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
