// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A copy, in a temporary folder, of a database that the user may not write.
///
/// To read a database, SQLite must write the files with the suffixes `-wal` and `-shm` beside it.
struct ReadingCopy {
    /// Maximum number of attempts to copy a database that changes meanwhile.
    private static let attempts = 5

    /// The path of the copy.
    let path: String
    private let folder: URL

    /// Copies `database`.
    ///
    /// Returns `nil` if the user may write it.
    ///
    /// - Throws: ``CommandFailure`` if it can't be read, or if another program keeps writing it.
    init?(ifNeededFor database: String) throws {
        let files = FileManager.default
        let parent = URL(filePath: database).deletingLastPathComponent().path(percentEncoded: false)
        let isOpen = ["-wal", "-shm"].allSatisfy { files.isWritableFile(atPath: database + $0) }
        if files.isWritableFile(atPath: database), isOpen || files.isWritableFile(atPath: parent) { return nil }
        // The initializer of the store refuses a folder.
        let values = try? URL(filePath: database).resourceValues(forKeys: [.isDirectoryKey])
        if values?.isDirectory == true { return nil }

        folder = files.temporaryDirectory.appending(path: "ledger-\(UUID())")
        path = folder.appending(path: "books.sqlite").path(percentEncoded: false)
        do {
            try files.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try copy(database)
        } catch let failure as CommandFailure {
            remove()
            throw failure
        } catch {
            remove()
            throw CommandFailure(reading: database, error)
        }
    }

    /// Removes the copy.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private func copy(_ database: String) throws {
        for _ in 1...Self.attempts {
            let before = Self.stamps(of: database)
            for ending in ["", "-wal"] {
                try? FileManager.default.removeItem(atPath: path + ending)
                if ending.isEmpty || FileManager.default.fileExists(atPath: database + ending) {
                    let bytes = try Data(contentsOf: URL(filePath: database + ending), options: .mappedIfSafe)
                    try bytes.write(to: URL(filePath: path + ending))
                }
            }
            if Self.stamps(of: database) == before { return }
        }
        throw CommandFailure(
            "'\(database)' can't be read: this user may not write it, and it can't be copied, because another program "
                + "keeps writing it. To fix, try again when the other program has finished, or give this user the "
                + "permission to write the file and its folder."
        )
    }

    /// The sizes and times of the files of `database`, for the detection of changes.
    private static func stamps(of database: String) -> [[String]] {
        ["", "-wal"].map { ending in
            let attributes = try? FileManager.default.attributesOfItem(atPath: database + ending)
            return [FileAttributeKey.size, .modificationDate, .systemFileNumber].map { key in
                (attributes?[key]).map { "\($0)" } ?? ""
            }
        }
    }
}
