// SPDX-License-Identifier: Apache-2.0

import IssueReporting

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
