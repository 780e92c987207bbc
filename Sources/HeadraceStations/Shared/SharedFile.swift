//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceJSON

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file with the JSON of a ``SharedState``, which several processes can share.
///
/// A value is written to a new file, which then replaces the file, so that a reader and a killed process never leave half of
/// a value. A lock on a second file, with the extension `lock`, prevents that two processes replace the file at the same
/// time. The lock ends with its process. A process that holds it while it is stopped makes other processes wait. The file
/// survives the end of the process; after a power failure, it may have the value before.
public struct SharedFile<Value: Codable & Sendable>: SharedStorage {
    /// The file.
    public let url: URL

    /// Creates a storage in the file `url`.
    ///
    /// The file and its folder are created when a value is stored.
    public init(_ url: URL) {
        self.url = url
    }

    /// Returns the value in the file; `nil` if the file doesn't exist.
    ///
    /// - Throws: ``SharedStateError`` with the code ``SharedStateError/Code/damaged`` if the file isn't the JSON of a value, and
    ///   ``SharedStateError/Code/unavailable`` if it can't be read.
    @concurrent
    public func load() async throws -> Value? {
        try read()
    }

    /// Replaces the file while it holds the lock.
    ///
    /// - Throws: ``SharedStateError``. The file was kept.
    @concurrent
    public func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value {
        let lock = try openLock()
        defer { _ = flock(lock.fileDescriptor, LOCK_UN) }
        let value = change(try read())
        let json: Data
        do {
            json = try JSONDocumentEncoder.encode(value)
        } catch {
            throw SharedStateError.damaged(url.path, Value.self, error)
        }
        do {
            try json.write(to: url, options: .atomic)
        } catch {
            throw SharedStateError.unavailable(url.path, error)
        }
        return value
    }

    private func read() throws -> Value? {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            if (error as? CocoaError)?.code == .fileReadNoSuchFile { return nil }
            throw SharedStateError.unavailable(url.path, error)
        }
        do {
            return try JSONDocumentDecoder.decode(Value.self, from: data)
        } catch {
            throw SharedStateError.damaged(url.path, Value.self, error)
        }
    }

    /// Opens the lock file, and waits for its lock.
    private func openLock() throws -> FileHandle {
        let lock = url.appendingPathExtension("lock")
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            do {
                // `FileManager.createFile` would replace the lock that another process has just created.
                try Data().write(to: lock, options: .withoutOverwriting)
            } catch CocoaError.fileWriteFileExists {}
            let handle = try FileHandle(forUpdating: lock)
            while flock(handle.fileDescriptor, LOCK_EX) != 0 {
                guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            }
            return handle
        } catch {
            throw SharedStateError.unavailable(url.path, error)
        }
    }
}
