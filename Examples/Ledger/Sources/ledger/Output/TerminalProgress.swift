// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import Synchronization

/// Shows the progress of a long import in one line of the terminal, and removes the line at the end.
///
/// The line has a bar, the processed transactions in a second, and the remaining time.
final class TerminalProgress: ImportProgress {
    /// Minimum number of transactions.
    ///
    /// Shorter imports are too fast for a progress line.
    private static let shortest = 2_000

    /// Number of characters of the bar.
    private static let barLength = 20

    /// Maximum number of characters of the name, so that the line fits a terminal with 80 columns.
    private static let longestName = 22

    /// Number of characters of the line, without the name.
    private static let length = ": [".count + barLength + "] 100 %  1234567/s  9:59:59 left".count

    private let usesEscapeSequences: Bool
    private let clock: any TimeSource

    /// The times of the first reports, by journal.
    private let starts = Mutex<[String: ContinuousClock.Instant]>([:])

    /// Uses escape sequences unless `NO_COLOR` is set or `TERM` is `dumb`.
    init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        clock: any TimeSource = ContinuousClock()
    ) {
        usesEscapeSequences = TerminalStyle.allowsEscapeSequences(environment)
        self.clock = clock
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
        let now = clock.now
        let start = starts.withLock { starts in
            let start = starts[journal] ?? now
            starts[journal] = done < total ? start : nil
            return start
        }
        let elapsed = start.duration(to: now)
        let name = String(Report.printable(journal).prefix(Self.longestName))
        let text = done < total ? name + Self.text(done: done, total: total, after: elapsed) : ""
        if usesEscapeSequences { return "\r\u{1B}[K" + text }
        let width = name.count + Self.length
        return "\r" + text + String(repeating: " ", count: max(0, width - text.count)) + (text.isEmpty ? "\r" : "")
    }

    private static func text(done: Int, total: Int, after elapsed: Duration) -> String {
        let filled = done * barLength / total
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: barLength - filled)
        var text = ": [\(bar)] \(done * 100 / total) %"
        let seconds = elapsed / .seconds(1)
        // The first transactions say little about the others.
        if done > 0, seconds >= 0.5 {
            let remaining = (seconds * Double(total - done) / Double(done)).rounded(.up)
            text += "  \(Int(Double(done) / seconds))/s  \(time(Int(remaining))) left"
        }
        return text
    }

    /// Returns a time as in 0:05 or 1:02:03.
    private static func time(_ seconds: Int) -> String {
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let parts = hours > 0 ? [hours, minutes, seconds % 60] : [minutes, seconds % 60]
        return parts.enumerated().map { index, part in index > 0 && part < 10 ? "0\(part)" : "\(part)" }
            .joined(separator: ":")
    }
}
