// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The use of colours and bold text in an output.
struct TerminalStyle {
    /// Whether the output has escape sequences.
    let usesEscapeSequences: Bool

    /// Text without escape sequences.
    static let plain = TerminalStyle(usesEscapeSequences: false)

    /// The style of the standard output: plain unless it is a terminal that allows escape sequences.
    static let standardOutput = TerminalStyle(
        usesEscapeSequences: isatty(STDOUT_FILENO) == 1
            && allowsEscapeSequences(ProcessInfo.processInfo.environment)
    )

    /// Whether escape sequences are allowed: `NO_COLOR` isn't set, and `TERM` isn't `dumb`.
    ///
    /// Source: <https://no-color.org>.
    static func allowsEscapeSequences(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Returns `text` in bold.
    func heading(_ text: String) -> String { styled(text, by: 1) }

    /// Returns `text` in red, for negative amounts.
    func negative(_ text: String) -> String { styled(text, by: 31) }

    /// Returns `text` dimmed, for less important parts.
    func secondary(_ text: String) -> String { styled(text, by: 2) }

    private func styled(_ text: String, by code: Int) -> String {
        usesEscapeSequences ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
