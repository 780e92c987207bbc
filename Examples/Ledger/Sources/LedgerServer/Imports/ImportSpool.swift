// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceHummingbird

/// Stores the journals of open imports in files beside the database, so that imports continue after a restart.
///
/// Several servers may use one folder. A file keeps a temporary name until all of it is on the disk.
struct ImportSpool: JournalSpool {
    private static let kept = "journal"
    private static let temporary = "part"

    private let folder: URL

    /// Uses the folder for the database at `path`, which is created on demand.
    init(database path: String) {
        folder = URL(filePath: path + "-imports", directoryHint: .isDirectory)
    }

    /// Stores `bytes`, and returns when they are on the disk.
    ///
    /// - Returns: A lock that prevents other servers from deleting the file. Hold it until the import is stored.
    /// - Throws: `Problem` with the status 507 if the disk is full.
    func keep(_ bytes: [UInt8], for id: UUID) async throws -> FolderLock? {
        let part = file(of: id, ending: Self.temporary)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let lock = try await FolderLock.shared(folder)
            try Data().write(to: part)
            let handle = try FileHandle(forWritingTo: part)
            do {
                try handle.write(contentsOf: Data(bytes))
                try handle.synchronize()
            } catch {
                try? handle.close()
                throw error
            }
            try handle.close()
            try FileManager.default.moveItem(at: part, to: file(of: id))
            lock?.synchronize()
            return lock
        } catch {
            try? FileManager.default.removeItem(at: part)
            throw error.isLackOfSpace ? Problem.full("the journal") : error
        }
    }

    /// Returns the stored bytes.
    func bytes(of id: UUID) throws -> [UInt8] {
        Array(try Data(contentsOf: file(of: id)))
    }

    /// Deletes the stored bytes, if there are any.
    func discard(_ id: UUID) {
        try? FileManager.default.removeItem(at: file(of: id))
    }

    /// Deletes the files of servers that were killed: temporary files, and journals whose import isn't open.
    ///
    /// If a server is storing a file at the moment, nothing is deleted until a later start.
    ///
    /// - Parameter open: Returns the identifiers of the open imports. It runs while no server can store a file.
    /// - Throws: The error of `open`.
    func discardLeftovers(except open: () async throws -> Set<UUID>) async throws {
        guard let lock = FolderLock.exclusive(folder) else { return }
        defer { withExtendedLifetime(lock) {} }
        let needed = Set(try await open().map { file(of: $0).lastPathComponent })
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where Self.isOurs(file) && !needed.contains(file.lastPathComponent) {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Whether the file belongs to the spool.
    ///
    /// An earlier version used Foundation's temporary files.
    private static func isOurs(_ file: URL) -> Bool {
        [kept, temporary].contains(file.pathExtension) || file.lastPathComponent.hasPrefix(".dat.nosync")
    }

    private func file(of id: UUID, ending: String = kept) -> URL {
        folder.appending(path: "\(id.uuidString).\(ending)")
    }
}
#endif
