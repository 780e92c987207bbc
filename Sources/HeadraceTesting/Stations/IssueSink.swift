//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import IssueReporting

/// Where the failures of a test station go: to the test, or to whoever explores schedules.
struct IssueSink: Sendable {
    /// Where in the test it is.
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
