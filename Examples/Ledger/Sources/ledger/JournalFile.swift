//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication
import LedgerJournal

/// A journal that was read from a file and understood, not yet posted.
struct JournalFile {
    /// The name of the file, without its folder.
    let name: String
    let journal: Journal
    let content: Fingerprint

    init(path: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure("'\(path)' cannot be read: \(Self.reason(error, path: path)). To fix, name a journal file.")
        }
        try self.init(name: URL(filePath: path).lastPathComponent, path: path, bytes: Array(data))
    }

    init(name: String, path: String, bytes: [UInt8]) throws {
        self.name = name
        journal = try Failure.telling { try JournalParser().parse(bytes, file: path) }
        content = Fingerprint(bytes: bytes)
    }

    private static func reason(_ error: any Error, path: String) -> String {
        if !FileManager.default.fileExists(atPath: path) { return "there is no such file" }
        let isFolder = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory
        return isFolder == true ? "it is a folder" : error.localizedDescription
    }
}
