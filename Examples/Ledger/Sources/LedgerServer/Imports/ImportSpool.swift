//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Keeps the journals of imports in files beside the database, so that they can be gone on with after a restart.
struct ImportSpool: Sendable {
    private let folder: URL

    /// Takes the folder for the database at `path`; it is made when it is needed.
    init(database path: String) {
        folder = URL(filePath: path + "-imports", directoryHint: .isDirectory)
    }

    /// Keeps `bytes`; they are on the disk when this returns.
    func keep(_ bytes: [UInt8], for id: UUID) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = file(of: id)
        try Data(bytes).write(to: file, options: .atomic)
        let handle = try FileHandle(forWritingTo: file)
        try handle.synchronize()
        try handle.close()
    }

    /// Gives what was kept.
    func bytes(of id: UUID) throws -> [UInt8] {
        Array(try Data(contentsOf: file(of: id)))
    }

    /// Forgets what was kept; what is not there need not be.
    func discard(_ id: UUID) {
        try? FileManager.default.removeItem(at: file(of: id))
    }

    /// Forgets what was kept for others than `ids`: of imports that had not begun when the program ended.
    func discardAll(except ids: Set<UUID>) {
        let kept = Set(ids.map { file(of: $0).lastPathComponent })
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where file.pathExtension == "journal" && !kept.contains(file.lastPathComponent) {
            try? FileManager.default.removeItem(at: file)
        }
    }

    private func file(of id: UUID) -> URL {
        folder.appending(path: "\(id.uuidString).journal")
    }
}
