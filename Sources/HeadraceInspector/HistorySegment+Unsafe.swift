// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension HistorySegment {
    /// Opens the file at `path` to read and write it, without following a symbolic link.
    ///
    /// Only this user can read and write the file.
    ///
    /// - Throws: `POSIXError`.
    static func openFile(_ path: String, creating isCreated: Bool) throws -> FileHandle {
        // A pipe must not block.
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isCreated ? O_CREAT : 0)
        #if canImport(Darwin)
        // Safe: the pointer refers to the text of the path, which outlives the call.
        let descriptor = unsafe Darwin.open(path, flags, 0o600)
        #elseif canImport(Glibc)
        // Safe: as above.
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        #else
        // Safe: as above.
        let descriptor = unsafe Musl.open(path, flags, 0o600)
        #endif
        if descriptor < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if fchmod(descriptor, 0o600) != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return handle
    }

    /// Locks the file without waiting, and returns `false` if another process or another object has locked it.
    static func lock(_ file: FileHandle) throws -> Bool {
        while flock(file.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
        return true
    }
}

extension FileManager {
    /// Replaces the file at `path` by the file at `newPath` in one step.
    ///
    /// - Throws: `POSIXError`.
    func replaceFile(at path: String, by newPath: String) throws {
        // Safe: the pointers refer to the texts of the paths, which outlive the call.
        if unsafe rename(newPath, path) != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
