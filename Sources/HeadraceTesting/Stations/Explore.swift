//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Runs `scenario` again under other schedules of its effects, and reports the first seed under which it fails.
///
/// ```swift
/// await explore(seeds: 0..<200) { seed in
///     let station = TestStation(initialState: Search.State()) { Search() }
///     await station.pour(.typed("t")) { $0.text = "t" }
///     await station.pour(.typed("tea")) { $0.text = "tea" }
///     await station.advance(by: .milliseconds(300))
///     await station.receive(.found(["teapot"])) { $0.results = ["teapot"] }
///     await station.finish()
/// }
/// ```
///
/// Whenever effects of a ``TestStation`` that is made in `scenario` could go on, one of them is drawn; the same seed draws
/// the same. A failure is an error that is thrown, or what a test station reports; give `seed` to expectations of
/// your own, which report themselves.
///
/// - Parameters:
///   - seeds: The schedules.
///   - fileID: Where the test is.
///   - filePath: Where the test is.
///   - line: Where the test is.
///   - column: Where the test is.
///   - scenario: The test; each time it makes its stations anew.
public nonisolated(nonsending) func explore(
    seeds: some Sequence<UInt64>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ scenario: nonisolated(nonsending) (_ seed: UInt64) async throws -> Void
) async {
    let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
    for seed in seeds {
        let problems = Problems()
        do {
            try await Schedule.$seed.binding(seed) {
                try await IssueSink.$current.binding(IssueSink { message, _ in problems.add(message) }) {
                    try await scenario(seed)
                }
            }
        } catch {
            problems.add("It has thrown \(error).")
        }
        let messages = problems.messages
        if !messages.isEmpty {
            IssueSink.current.report(
                "The schedule with the seed \(seed) fails:\n\n\(messages.joined(separator: "\n\n"))",
                location
            )
            return
        }
    }
}
