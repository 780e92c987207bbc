// SPDX-License-Identifier: Apache-2.0

extension JournalReader {
    /// Maximum number of files that a journal includes, directly or not.
    static let maximumIncludedCount = 1000

    /// Maximum number of files that include each other in a row.
    static let maximumDepth = 32

    /// Reads the files that the directive in `start` includes.
    ///
    /// An included file begins with the state of this file. Of its directives, only the formats of commodities have an
    /// effect on the lines after it, as in hledger.
    mutating func readInclude(_ pattern: String, at start: LineCursor) throws(JournalError) {
        guard let loader else { throw refusal(of: "include", at: start) }
        guard !pattern.isEmpty else {
            throw invalidDirective(at: start, "The directive has no file. To fix, complete it, or remove it.")
        }
        let sources: [JournalSource]
        do {
            sources = try loader(pattern, file)
        } catch {
            throw invalidDirective(at: start, "\(error)")
        }
        for source in sources {
            includedCount += 1
            guard includedCount <= Self.maximumIncludedCount, includingFiles.count < Self.maximumDepth else {
                throw invalidDirective(
                    at: start,
                    "The journal includes more than \(Self.maximumIncludedCount) files, or more than "
                        + "\(Self.maximumDepth) in a row. To fix, include fewer."
                )
            }
            guard source.name != file, !includingFiles.contains(source.name) else {
                throw invalidDirective(at: start, "The file includes itself. To fix, remove this line.")
            }
            var child = JournalReader(
                bytes: source.bytes, file: source.name, maximumLineLength: maximumLineLength, loader: loader
            )
            child.includingFiles = includingFiles + [file]
            child.includedCount = includedCount
            child.decimalMarks = decimalMarks
            child.defaultYear = defaultYear
            child.accountNames = accountNames
            child.accountNames.extendAllowance(for: source.bytes.count)
            let journal = try child.readJournal()
            includedCount = child.includedCount
            accountNames.continueAllowance(of: child.accountNames)
            decimalMarks.byCommodity = child.decimalMarks.byCommodity
            accountTypes.merge(journal.accountTypes) { _, last in last }
            skippedDirectives.merge(journal.skippedDirectives, uniquingKeysWith: +)
            leftOut.merge(journal.leftOut, uniquingKeysWith: +)
            included += journal.entries
        }
    }
}
