// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import HeadraceStorage

extension CrashTest {
    /// The results of all runs.
    public struct Report: Sendable, CustomStringConvertible {
        struct Row {
            let run: Run
            let violation: String?

            var result: String { violation.map { "violation: \($0)" } ?? (run.isInterrupted ? "ok" : "not reached") }
        }

        let program: String
        let handlers: [String]
        var rows: [Row] = []

        /// The violations, each with its point, its handler, and its pass.
        public var violations: [String] {
            rows.compactMap { row in
                row.violation.map { violation in
                    let handler = row.run.handler.map { " of \($0)" } ?? ""
                    return "\(row.run.point)\(handler), pass \(row.run.pass): \(violation)"
                }
            }
        }

        /// Number of runs in which the process was interrupted.
        ///
        /// In the others, it ended before it reached the point. This fails the test only if it holds for all runs, or for all runs
        /// of one handler.
        public var reachedCount: Int { rows.count { $0.run.isInterrupted } }

        /// A table of the runs: point, handler, pass, and result.
        public var description: String {
            let lines = rows.map { row in
                [row.run.point.rawValue, row.run.handler ?? "-", "\(row.run.pass)", row.result]
            }
            let table = [["point", "handler", "pass", "result"]] + lines
            let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
            return table.map { line in
                zip(line, widths).map { $0.padding(to: $1) }.joined() + line[3]
            }.joined(separator: "\n")
        }

        /// The message of the failed test; `nil` if all is well.
        var failure: String? {
            var reasons: [String] = []
            if !violations.isEmpty {
                reasons = ["'\(program)' violates its promises in \(violations.count) of \(rows.count) runs."]
            } else if reachedCount == 0 {
                reasons = [
                    """
                    '\(program)' reached no fault point. To fix, set 'configuration.faults = CrashFaults.store' where it opens \
                    its store.
                    """
                ]
            }
            for handler in handlers where !rows.contains(where: { $0.run.handler == handler && $0.run.isInterrupted }) {
                reasons.append(
                    """
                    '\(program)' never ran the handler '\(handler)'. To fix, pass 'observers: CrashFaults.observers' to its \
                    'domain(…)', and name the handler by its subscription, or by its 'commandName'.
                    """)
            }
            return reasons.isEmpty ? nil : reasons.joined(separator: "\n") + "\n\n" + description
        }
    }
}

extension String {
    /// The text, with spaces up to two columns beyond `width`.
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count) + 2)
    }
}
#endif
