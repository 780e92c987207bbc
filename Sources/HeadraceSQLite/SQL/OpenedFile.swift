// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceStorage
import Synchronization

/// The file that a store has opened and its write-ahead log.
///
/// Checks that both are still at their paths.
///
/// SQLite goes on writing to a file that was removed, and doesn't report it in write-ahead mode. Such commits are lost
/// when the file is closed.
struct OpenedFile: Sendable {
    private let parts: [(path: String, identity: FileIdentity)]

    /// Records the identity of the file at `path` and of its write-ahead log.
    init(path: String) {
        // The path becomes absolute because the program may change its working directory.
        let path = URL(filePath: path).path(percentEncoded: false)
        parts = [path, path + "-wal"].compactMap { path in FileIdentity(path: path).map { (path, $0) } }
    }

    /// Requires the files to be at their paths.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `fileRemoved`.
    func check() throws {
        for (path, identity) in parts where FileIdentity(path: path) != identity {
            throw StoreError(
                code: .fileRemoved,
                message: """
                    '\(path)' was removed or replaced while this program had it open, so nothing was read or stored. \
                    To fix, put the file back if it was moved, or restart the program to use the file that is there now.
                    """
            )
        }
    }
}

/// Refuses connections to a different file at the path of the store.
///
/// A pool opens connections when it needs them, by path. A connection to a different file would read the content of
/// that file, partly replaced by the write-ahead log of the first file.
final class ConnectionCheck: Sendable {
    private let file = Mutex<OpenedFile?>(nil)

    /// Requires all later connections to open `file`.
    func require(_ file: OpenedFile) {
        self.file.withLock { $0 = file }
    }

    /// Checks a connection that was just opened.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `fileRemoved`.
    func check() throws {
        try file.withLock(\.self)?.check()
    }
}
#endif
