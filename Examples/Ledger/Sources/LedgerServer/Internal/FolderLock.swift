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
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // A process that is being started holds a copy of the descriptor for a moment, and with it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes a lock that others may share.
    ///
    /// It waits while the exclusive lock is held, without blocking a thread.
    ///
    /// - Returns: The lock; `nil` if there is no such folder, or if it can't be locked.
    /// - Throws: `CancellationError`.
    static func shared(_ folder: URL) async throws -> FolderLock? {
        while true {
            switch take(LOCK_SH, on: folder) {
            case .success(let descriptor): return FolderLock(descriptor)
            case .failure(let error) where error.code == .EWOULDBLOCK: try await Task.sleep(for: .milliseconds(5))
            case .failure: return nil
            }
        }
    }

    /// Takes a lock that excludes all others, without waiting for them.
    ///
    /// - Returns: The lock; `nil` if another lock is held, if there is no such folder, or if it can't be locked.
    static func exclusive(_ folder: URL) -> FolderLock? {
        try? FolderLock(take(LOCK_EX, on: folder).get())
    }

    private static func take(_ operation: Int32, on folder: URL) -> Result<Int32, POSIXError> {
        // Unsafe as it hands over a pointer: to the text of the path, which outlives the call.
        let descriptor = unsafe open(folder.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)) }
        while flock(descriptor, operation | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            close(descriptor)
            return .failure(POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO))
        }
        return .success(descriptor)
    }

    /// Has the names of the files in the folder written to the disk.
    func synchronize() {
        fsync(descriptor)
    }
}
