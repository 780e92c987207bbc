// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
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
/// time. The lock ends with its process. A process that holds it while it is stopped makes other processes wait; they try
/// again after pauses of up to 50 milliseconds, and block no thread. The file survives the end of the process; after a power
/// failure, it may have the value before.
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
    /// - Throws: ``SharedStateError`` with the code `SharedStateError.Code.damaged` if the file isn't the JSON of a value, and
    ///   `SharedStateError.Code.unavailable` if it can't be read.
    @concurrent
    public func load() async throws -> Value? {
        try read()
    }

    /// Replaces the file while it holds the lock.
    ///
    /// - Throws: ``SharedStateError``; `CancellationError` if the task is cancelled while it waits for the lock. The file was
    ///   kept.
    @concurrent
    public func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value {
        let lock = try await acquireLock()
        defer { _ = flock(lock.fileDescriptor, LOCK_UN) }
        let value = change(try read())
        let json: Data
        do {
            json = try JSONDocumentEncoder.encode(value)
        } catch {
            throw SharedStateError.unencodable(url.path, Value.self, error)
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
    ///
    /// `flock` would block a thread, so the task tries again after pauses. They are pauses of real time, because another
    /// process doesn't follow a clock of a test.
    private nonisolated(nonsending) func acquireLock() async throws -> FileHandle {
        let handle = try openLock()
        var generator = SystemRandomNumberGenerator()
        var attempt = 0
        while flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                throw SharedStateError.unavailable(url.path, POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO))
            }
            attempt += 1
            let backoff = Backoff(base: .milliseconds(1), longest: .milliseconds(50))
            try await ContinuousClock().sleep(for: backoff.pause(afterAttempt: attempt, using: &generator))
        }
        return handle
    }

    private func openLock() throws -> FileHandle {
        let lock = url.appendingPathExtension("lock")
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            do {
                // `FileManager.createFile` would replace the lock that another process has just created.
                try Data().write(to: lock, options: .withoutOverwriting)
            } catch CocoaError.fileWriteFileExists {}
            return try FileHandle(forUpdating: lock)
        } catch {
            throw SharedStateError.unavailable(url.path, error)
        }
    }
}
