//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import HeadraceStorage
import Synchronization

/// The file that a store has opened, and its write-ahead log: whether they still have their names.
///
/// SQLite goes on writing to a file that was removed, and doesn't report it in write-ahead mode. Such commits are lost
/// when the file is closed.
struct OpenedFile: Sendable {
    private let parts: [(path: String, identity: FileIdentity)]

    /// Remembers the files at `path` and beside it.
    init(path: String) {
        // The program may change its folder.
        let path = URL(filePath: path).path(percentEncoded: false)
        parts = [path, path + "-wal"].compactMap { path in FileIdentity(path: path).map { (path, $0) } }
    }

    /// Requires the files to stand where they stood.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `fileRemoved`.
    func check() throws {
        for (path, identity) in parts where FileIdentity(path: path) != identity {
            throw StoreError(
                code: .fileRemoved,
                message: """
                    '\(path)' was removed or replaced while this program had it open, so nothing was read or stored. \
                    To fix, put the file back if it was moved, or start the program again with the file that is there now.
                    """
            )
        }
    }
}

/// Refuses connections to another file that has the name of the file that a store has opened.
///
/// A pool opens connections when it needs them, by name. A connection to another file would read its content, partly
/// replaced by the write-ahead log of the first file.
final class ConnectionCheck: Sendable {
    private let file = Mutex<OpenedFile?>(nil)

    /// Requires later connections to be connections to `file`.
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

/// Tells one file from another that has its name.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Takes the identity of the file at `path`; `nil` if there is none.
    init?(path: String) {
        // Unsafe as it hands over pointers: to the text and to a local variable, which outlive the call.
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
#endif
