// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import HeadraceStorage

extension CrashTest {
    /// The results of all runs.
    public struct Report: Sendable, CustomStringConvertible {
        enum Outcome: Sendable, Equatable {
            case ok
            case notReached
            case violation(String)
        }

        private struct Row {
            let point: FaultPoint
            let handler: String?
            let pass: Int
            let outcome: Outcome
        }

        private let program: String
        private let handlers: [String]
        private var rows: [Row] = []

        init(program: String, handlers: [String]) {
            self.program = program
            self.handlers = handlers
        }

        mutating func add(_ fault: CrashFault, _ outcome: Outcome) {
            rows.append(Row(point: fault.point, handler: fault.handler, pass: fault.pass, outcome: outcome))
        }

        /// The violations, each with its point, its handler, and its pass.
        public var violations: [String] {
            rows.compactMap { row in
                guard case .violation(let text) = row.outcome else { return nil }
                return "\(row.point)\(row.handler.map { " of \($0)" } ?? ""), pass \(row.pass): \(text)"
            }
        }

        /// Number of runs in which the process was interrupted.
        ///
        /// The others ended before they reached their point. This is a violation only if it holds for all runs, or for all runs
        /// of a handler.
        public var reachedCount: Int { rows.count { $0.outcome != .notReached } }

        /// A table of the runs: point, handler, pass, and result.
        public var description: String {
            let lines = rows.map { row in [row.point.rawValue, row.handler ?? "-", "\(row.pass)", row.outcome.text] }
            let table = [["point", "handler", "pass", "result"]] + lines
            let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
            return table.map { line in
                zip(line, widths).map { $0.padding(to: $1) }.joined() + line[3]
            }.joined(separator: "\n")
        }

        /// The message of the failed test; `nil` if all is well.
        var failure: String? {
            var reasons: [String] = []
            let count = violations.count
            if count > 0 { reasons.append("'\(program)' violates its promises in \(count) of \(rows.count) runs.") }
            if reachedCount == 0 {
                reasons.append(
                    """
                    '\(program)' reached no fault point. To fix, set 'configuration.faults = CrashFaults.store' where it opens \
                    its store.
                    """)
            }
            for handler in handlers where rows.allSatisfy({ $0.handler != handler || $0.outcome == .notReached }) {
                reasons.append(
                    """
                    '\(program)' never ran the handler '\(handler)'. To fix, pass 'observers: CrashFaults.observers' to its \
                    'domain(…)', and name the handler by its subscription, or by the type of its command.
                    """)
            }
            return reasons.isEmpty ? nil : reasons.joined(separator: "\n") + "\n\n" + description
        }
    }
}

extension CrashTest.Report.Outcome {
    fileprivate var text: String {
        switch self {
        case .ok: "ok"
        case .notReached: "not reached"
        case .violation(let text): "violation: \(text)"
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
