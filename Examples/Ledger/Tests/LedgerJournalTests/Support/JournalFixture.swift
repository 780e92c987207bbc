// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerJournal
import Testing

/// A journal in the resources of the tests.
struct JournalFixture: Sendable, CustomTestStringConvertible {
    let url: URL

    /// The name without the folder and the extension.
    var name: String { url.deletingPathExtension().lastPathComponent }

    var testDescription: String { name }

    /// Valid journals, with the same balances in hledger.
    static let valid = files(in: "valid")

    /// Journals with one error each, named after the code of the error.
    static let errors = files(in: "errors")

    func bytes() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: url))
    }

    private static func files(in folder: String) -> [JournalFixture] {
        let urls = Bundle.module.urls(forResourcesWithExtension: "journal", subdirectory: "Journals/\(folder)") ?? []
        return urls.map { JournalFixture(url: $0 as URL) }.sorted { $0.name < $1.name }
    }
}

/// Parses `text` as the file `test`.
func parse(_ text: String) throws -> Journal {
    try JournalParser().parse([UInt8](text.utf8), file: "test")
}

/// The error of parsing `bytes`.
///
/// If there is none, records an issue and returns nil.
func error(
    reading bytes: [UInt8],
    with parser: JournalParser = JournalParser(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> JournalError? {
    #expect(throws: JournalError.self, sourceLocation: sourceLocation) { try parser.parse(bytes, file: "test") }
}
