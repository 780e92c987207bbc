// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation

/// The identity of a file.
///
/// Another file at the same path has another identity.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Reads the identity of the file at `path`; `nil` if there is no file.
    init?(path: String) {
        // Unsafe because it passes pointers to the text and to a local variable. Both outlive the call.
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
#endif
