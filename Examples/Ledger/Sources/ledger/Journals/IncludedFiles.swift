// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerJournal
import Synchronization

/// Finds the files that a journal includes, and remembers their content.
///
/// They must be in the folder of the journal or below.
final class IncludedFiles: Sendable {
    /// The cause why a file can't be included, and the remedy.
    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Maximum number of folders that `**` stands for.
    private static let mostFolders = 1_000

    private let folder: URL
    private let content = Mutex<[UInt8]>([])

    /// Starts without a file for the journal at `path`.
    init(of path: String) {
        folder = URL(filePath: path).deletingLastPathComponent()
    }

    /// The names and bytes of the files up to here; empty for none.
    var bytes: [UInt8] { content.withLock { $0 } }

    /// Returns the files that match `pattern`, seen from `file`, in the order of their names.
    func sources(matching pattern: String, from file: String) throws -> [JournalSource] {
        // hledger's prefix of the format.
        let pattern = pattern.hasPrefix("journal:") ? String(pattern.dropFirst("journal:".count)) : pattern
        try refuseOtherFormats(pattern)
        var matches = [URL(filePath: pattern.hasPrefix("/") ? "/" : Self.folder(of: file))]
        for part in pattern.split(separator: "/") {
            // Several '**' can stand for the same folder.
            matches = Self.unique(try matches.flatMap { try Self.children(of: $0, named: part) })
        }
        let isPattern = FileNamePattern.isPattern(pattern)
        // Not each folder that matches has a file of this name.
        if isPattern { matches = matches.filter { FileManager.default.fileExists(atPath: Self.path(of: $0)) } }
        if pattern.contains("**/") {
            matches.sort { $0.path(percentEncoded: false) < $1.path(percentEncoded: false) }
        }
        // A pattern that matches its own file doesn't mean that file.
        let own = Self.resolved(URL(filePath: file))
        let sources = try matches.filter { !isPattern || Self.resolved($0) != own }.map(source)
        guard !sources.isEmpty else {
            throw Refusal(description: "No file matches '\(pattern)'. To fix, correct the name.")
        }
        return sources
    }

    private func source(at url: URL) throws -> JournalSource {
        let root = Self.resolved(folder)
        let path = Self.resolved(url)
        guard path.hasPrefix(root == "/" ? root : root + "/") else {
            throw Refusal(
                description: "The file '\(url.relativePath)' is outside of the journal's folder. "
                    + "To fix, move it there, or import it on its own."
            )
        }
        do {
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            content.withLock { $0 += Array(path.dropFirst(root.count).utf8) + [0xFF] + bytes + [0xFF] }
            return JournalSource(name: path, bytes: bytes)
        } catch {
            throw Refusal(
                description:
                    "The file '\(url.relativePath)' can't be read. To fix, correct the name, or its permissions."
            )
        }
    }

    private func refuseOtherFormats(_ pattern: String) throws {
        let formats = ["csv", "ssv", "tsv", "rules", "timeclock", "timedot", "td"]
        let format = pattern.split(separator: ".").last.map(String.init) ?? ""
        if formats.contains(format) || pattern.contains(":") {
            throw Refusal(description: "Only journals can be included. To fix, convert the file to a journal.")
        }
        if pattern.hasPrefix("~") || pattern.hasSuffix("**") || pattern.contains(where: { "{}<>".contains($0) }) {
            throw Refusal(
                description: "Of the patterns, only '*', '?', '[a-z]', and '**/' are supported. To fix, name the files."
            )
        }
    }

    /// Returns `files` with the first of each path.
    private static func unique(_ files: [URL]) -> [URL] {
        var paths: Set<String> = []
        return files.filter { paths.insert(path(of: $0)).inserted }
    }

    private static func folder(of file: String) -> String {
        URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
    }

    private static func resolved(_ url: URL) -> String { path(of: url.resolvingSymlinksInPath()) }

    /// Returns the path without a slash at its end.
    private static func path(of url: URL) -> String {
        let path = url.standardizedFileURL.path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Returns the files in `folder` whose names match `part` of a pattern, in their order.
    ///
    /// The part `**` matches the folder itself and all folders below it.
    private static func children(of folder: URL, named part: Substring) throws -> [URL] {
        if part == "**" { return try foldersUpFrom(folder) }
        guard FileNamePattern.isPattern(part) else { return [folder.appending(path: part)] }
        guard let pattern = FileNamePattern(part) else {
            throw Refusal(
                description: "The bracket in '\(part)' isn't closed, or it has an empty range. To fix, close it.")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.filter { pattern.matches($0) }.sorted().map { folder.appending(path: $0) }
    }

    /// Returns `folder` and all folders below it, without links and hidden folders.
    private static func foldersUpFrom(_ folder: URL) throws -> [URL] {
        var folders = [folder]
        var next = 0
        while next < folders.count {
            let children =
                (try? FileManager.default.contentsOfDirectory(
                    at: folders[next],
                    includingPropertiesForKeys: [.isDirectoryKey, .isSymbolicLinkKey],
                    options: .skipsHiddenFiles
                )) ?? []
            folders += try children.filter { child in
                let values = try child.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey])
                return values.isDirectory == true && values.isSymbolicLink != true
            }
            if folders.count > mostFolders {
                throw Refusal(
                    description:
                        "'**' stands for more than \(mostFolders) folders. To fix, name the folder of the files.")
            }
            next += 1
        }
        return folders
    }
}
