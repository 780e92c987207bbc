//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication

/// Shows how far a long import has come, on the standard error of a terminal, in one line that it takes away.
struct TerminalProgress: ImportProgress {
    /// Imports of fewer transactions are over before a line is read.
    private static let shortest = 2_000

    /// Gives a progress line where the standard error is a terminal, and none where it goes into a file or a pipe.
    static func ifTerminal() -> any ImportProgress {
        isatty(STDERR_FILENO) == 1 ? TerminalProgress() : NoOpImportProgress()
    }

    func advance(of journal: String, done: Int, total: Int) {
        guard total >= Self.shortest else { return }
        let line = "\r\u{1B}[K" + (done < total ? "\(Report.printable(journal)): \(done * 100 / total) %" : "")
        FileHandle.standardError.write(Data(line.utf8))
    }
}
