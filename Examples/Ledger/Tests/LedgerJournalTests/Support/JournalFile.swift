//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerJournal
import Testing

/// A journal among the resources of these tests.
struct JournalFile: Sendable, CustomTestStringConvertible {
    let url: URL

    /// The name without folder and extension.
    var name: String { url.deletingPathExtension().lastPathComponent }

    var testDescription: String { name }

    /// Journals that are understood, and on which hledger agrees.
    static let valid = files(in: "valid")

    /// Journals with one error each, named for its code.
    static let errors = files(in: "errors")

    func bytes() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: url))
    }

    private static func files(in folder: String) -> [JournalFile] {
        let urls = Bundle.module.urls(forResourcesWithExtension: "journal", subdirectory: "Journals/\(folder)") ?? []
        return urls.map { JournalFile(url: $0 as URL) }.sorted { $0.name < $1.name }
    }
}

/// The journal in `text`, as the file `test`.
func parse(_ text: String) throws -> Journal {
    try JournalParser().parse([UInt8](text.utf8), file: "test")
}

/// The error that reading `bytes` ends with; nil, and a recorded issue, where it ends otherwise.
func error(
    reading bytes: [UInt8],
    with parser: JournalParser = JournalParser(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> JournalError? {
    #expect(throws: JournalError.self, sourceLocation: sourceLocation) { try parser.parse(bytes, file: "test") }
}
