//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication

/// Shows the progress of a long import in one line of the terminal, and removes the line at the end.
struct TerminalProgress: ImportProgress {
    /// Minimum number of transactions.
    ///
    /// Shorter imports are too fast for a progress line.
    private static let shortest = 2_000

    /// Whether the terminal supports escape sequences and the user allows them.
    let usesEscapeSequences: Bool

    /// Uses escape sequences unless `NO_COLOR` is set or `TERM` is `dumb`.
    ///
    /// Source: <https://no-color.org>.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        usesEscapeSequences = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Returns a progress line if the standard error is a terminal, and a no-op for a file or a pipe.
    static func ifTerminal() -> any ImportProgress {
        isatty(STDERR_FILENO) == 1 ? TerminalProgress() : NoOpImportProgress()
    }

    func advance(of journal: String, done: Int, total: Int) {
        guard total >= Self.shortest else { return }
        FileHandle.standardError.write(Data(line(of: journal, done: done, total: total).utf8))
    }

    /// The text that replaces the line.
    ///
    /// At the end, it is an empty line.
    func line(of journal: String, done: Int, total: Int) -> String {
        let name = Report.printable(journal)
        let text = done < total ? "\(name): \(done * 100 / total) %" : ""
        if usesEscapeSequences { return "\r\u{1B}[K" + text }
        let width = "\(name): 100 %".count
        return "\r" + text + String(repeating: " ", count: width - text.count) + (text.isEmpty ? "\r" : "")
    }
}
