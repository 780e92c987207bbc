// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import IssueReporting
import Logging

extension SimulatedWorld {
    /// Runs `body` with the values of a node or of the test, and collects its log messages and its issues.
    func environment<Result>(
        _ name: String, _ values: SystemValues, _ body: () async throws -> Result
    ) async throws -> Result {
        try await withIssueReporters([ViolationReporter(world: self)]) {
            try await withLogger(SimulationLogHandler.logger(of: name, history)) { _ in
                try await SystemValues.withCurrent(values) { try await body() }
            }
        }
    }
}

/// Makes a violation of each issue that code in a simulation reports, such as a test station.
private struct ViolationReporter: IssueReporter {
    weak let world: SimulatedWorld?

    func reportIssue(
        _ message: @autoclosure () -> String?,
        severity: IssueSeverity,
        fileID: StaticString,
        filePath: StaticString,
        line: UInt,
        column: UInt
    ) {
        if severity == .error { world?.fail("\(fileID):\(line): \(message() ?? "an issue")") }
    }
}
#endif
