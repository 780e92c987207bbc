// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation

/// Runs `body` with a new folder, and removes the folder afterwards.
nonisolated(nonsending) func withTemporaryFolder<Result>(
    _ body: nonisolated(nonsending) (_ folder: URL) async throws -> Result
) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension URL {
    /// The path of the item `name` in this folder.
    func path(of name: String) -> String {
        appending(path: name).path(percentEncoded: false)
    }
}
#endif
