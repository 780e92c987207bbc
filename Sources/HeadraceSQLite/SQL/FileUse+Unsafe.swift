// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Shows an open store to the other programs that open its file.
///
/// It holds a shared lock by `flock` on the write-ahead log, which SQLite doesn't lock itself. The system releases the lock when
/// the process ends. Only Linux and macOS have it: other systems of Apple end an application that holds a lock while it is
/// suspended.
///
/// Related documentation: <https://man7.org/linux/man-pages/man2/flock.2.html>,
/// <https://man7.org/linux/man-pages/man5/proc_locks.5.html>.
final class FileUse: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Opens the file at `path`.
    ///
    /// If it can't be opened, or if `path` is `nil`, other programs don't see the store.
    init(_ path: String?) {
        #if os(Linux) || os(macOS)
        // Unsafe because it passes a pointer to the text, which outlives the call.
        let opened = path.map { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        descriptor = Mutex(opened.flatMap { $0 < 0 ? nil : $0 })
        #else
        descriptor = Mutex(nil)
        #endif
    }

    deinit {
        end()
    }

    /// Shows the store to other programs.
    func share() {
        descriptor.withLock { descriptor in
            if let descriptor { _ = flock(descriptor, LOCK_SH | LOCK_NB) }
        }
    }

    /// Hides the store from other programs.
    func end() {
        descriptor.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }

    /// Returns descriptions of the processes in which other stores use the file; empty if there is none.
    ///
    /// The result holds until ``share()`` or ``end()``, because no other store can call ``share()`` meanwhile.
    func others() -> [String] {
        let isAlone = descriptor.withLock { descriptor in
            descriptor.map { flock($0, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK } ?? true
        }
        if isAlone { return [] }
        let names = holders().map { process in
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            return "\(name.map { $0.trimmingCharacters(in: .newlines) } ?? "a program") (process \(process))"
        }
        return names.isEmpty ? ["another process"] : names
    }

    /// Returns the numbers of the processes with locks on the file; empty if the system has no list of them.
    private func holders() -> [Int32] {
        guard let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return [] }
        var status = stat()
        // Unsafe because it passes a pointer to a local variable, which outlives the call.
        let isKnown = descriptor.withLock { descriptor in
            descriptor.map { unsafe fstat($0, &status) == 0 } ?? false
        }
        if !isKnown { return [] }
        // 1: FLOCK  ADVISORY  READ 4711 08:01:393217 0 EOF
        let numbers = locks.split(separator: "\n").compactMap { line -> Int32? in
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5].hasSuffix(":\(status.st_ino)") else { return nil }
            return Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return Set(numbers).sorted()
    }
}

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

extension FileManager {
    /// Whether the item at `path`, after symbolic links, is a folder; `nil` if there is no item.
    func isFolder(_ path: String) -> Bool? {
        // Unsafe because it passes a pointer to a local variable, which outlives the call.
        var isFolder: ObjCBool = false
        return unsafe fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
    }
}
#endif
