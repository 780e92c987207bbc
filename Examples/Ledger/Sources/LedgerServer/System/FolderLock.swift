// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation

/// A lock on a folder, shared between processes.
///
/// It is released when the object is deallocated or the process ends.
///
/// Related documentation: <https://man7.org/linux/man-pages/man2/flock.2.html>
final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // Unlock explicitly: a child process that is being started holds a copy of the descriptor for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Acquires a shared lock.
    ///
    /// If another process holds the exclusive lock, it waits without blocking a thread.
    ///
    /// - Returns: The lock; `nil` if there is no such folder, or if it can't be locked.
    /// - Throws: `CancellationError`.
    static func shared(_ folder: URL) async throws -> FolderLock? {
        while true {
            switch acquire(LOCK_SH, on: folder) {
            case .success(let descriptor): return FolderLock(descriptor)
            case .failure(let error) where error.code == .EWOULDBLOCK: try await Task.sleep(for: .milliseconds(5))
            case .failure: return nil
            }
        }
    }

    /// Acquires an exclusive lock without waiting.
    ///
    /// - Returns: The lock; `nil` if another lock is held, if there is no such folder, or if it can't be locked.
    static func exclusive(_ folder: URL) -> FolderLock? {
        try? FolderLock(acquire(LOCK_EX, on: folder).get())
    }

    /// Writes the names of the files in the folder to the disk.
    func synchronize() {
        fsync(descriptor)
    }
}
#endif
