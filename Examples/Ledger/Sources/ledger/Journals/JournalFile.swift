// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerApplication
import LedgerJournal

/// A parsed journal file.
struct JournalFile {
    /// The argument for the standard input.
    static let standardInput = "-"

    /// The name of the standard input in messages, and the default for its journal name.
    static let standardInputName = "standard input"

    /// The name of the journal: the name of the file without the folder.
    let name: String

    /// The absolute path of the file, without symbolic links; `nil` if the journal isn't in a file.
    let path: String?
    let journal: Journal
    let content: Fingerprint

    /// Reads the file at `path`, or the standard input if that is `-`.
    ///
    /// - Parameters:
    ///   - path: The path of a file or of a pipe, or `-`.
    ///   - name: The name of a journal without a file.
    ///   - year: The year of dates without a year.
    /// - Throws: ``CommandFailure``.
    init(path: String, nameWithoutFile name: String? = nil, year: Int? = nil) throws {
        if path == Self.standardInput {
            let label = Self.standardInputName
            let bytes = try Self.bytes(of: label) { try FileHandle.standardInput.readToEnd() ?? Data() }
            try self.init(name: name ?? label, path: label, bytes: bytes, year: year)
        } else if Self.hasNoFile(path) {
            let bytes = Array(try CommandFailure.bytes(at: path))
            try self.init(name: name ?? Self.standardInputName, path: path, bytes: bytes, year: year)
        } else if CommandFailure.isStream(path) {
            let bytes = Array(try CommandFailure.bytes(at: path))
            try self.init(name: URL(filePath: path).lastPathComponent, path: path, bytes: bytes, year: year)
        } else {
            let url = URL(filePath: path)
            let place = url.resolvingSymlinksInPath().standardizedFileURL.path(percentEncoded: false)
            let bytes = try Self.bytes(of: path) { try Data(contentsOf: url) }
            try self.init(
                name: url.lastPathComponent, path: path, bytes: bytes, year: year, including: IncludedFiles(of: path),
                at: place
            )
        }
    }

    init(
        name: String,
        path: String,
        bytes: [UInt8],
        year: Int? = nil,
        including files: IncludedFiles? = nil,
        at place: String? = nil
    ) throws {
        self.name = name
        self.path = place
        var parser = JournalParser(defaultYear: year)
        if let files { parser.loader = { try files.sources(matching: $0, from: $1) } }
        journal = try CommandFailure.telling { try parser.parse(bytes, file: path) }
        // The dates of the transactions depend on the year.
        let given = year.map { Array("\u{0}year \($0)".utf8) } ?? []
        content = Fingerprint(bytes: bytes + (files?.bytes ?? []) + given)
    }

    /// Whether `name` is a valid journal name.
    static func isName(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "/" }
        return isPlain && (1...255).contains(name.utf8.count)
    }

    /// Whether `path` has no name of a file.
    static func hasNoFile(_ path: String) -> Bool { path == standardInput || CommandFailure.isDescriptor(path) }

    private static func bytes(of path: String, _ read: () throws -> Data) throws -> [UInt8] {
        do {
            return Array(try read())
        } catch {
            throw CommandFailure(reading: path, error)
        }
    }
}
