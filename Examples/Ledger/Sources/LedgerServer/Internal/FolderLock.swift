//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A lock on a folder, of this process and others, until it is deallocated or the process ends.
///
/// Related documentation: <https://man7.org/linux/man-pages/man2/flock.2.html>
final class FolderLock: Sendable {
    /// Who may hold the lock at the same time.
    enum Mode {
        /// Other shared locks are let in; an exclusive one is waited for.
        case shared

        /// No other lock is let in; it is not waited for.
        case exclusive
    }

    private let descriptor: Int32

    /// Takes the lock; `nil` if there is no such folder, or if it can't be locked.
    init?(_ folder: URL, _ mode: Mode) {
        // Unsafe as it hands over a pointer: to the text of the path, which outlives the call.
        let descriptor = unsafe open(folder.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
        let operation = mode == .shared ? LOCK_SH : LOCK_EX | LOCK_NB
        while flock(descriptor, operation) != 0 {
            if errno == EINTR { continue }
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Has the names of the files in the folder written to the disk.
    func synchronize() {
        fsync(descriptor)
    }
}
