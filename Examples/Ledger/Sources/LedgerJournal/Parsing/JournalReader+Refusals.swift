// SPDX-License-Identifier: Apache-2.0

extension JournalReader {
    /// The error for a line without indentation that is neither a date, a comment, nor a supported directive.
    func refusal(of keyword: String, at line: LineCursor) -> JournalError {
        let name = keyword.first == "@" ? String(keyword.dropFirst()) : keyword
        if let remedy = Self.remedies[name] {
            return failure(
                .unsupportedDirective,
                at: line,
                "The directive '\(keyword)' isn't supported. \(remedy)"
            )
        }
        return failure(
            .unknownLine,
            at: line,
            "The line is neither a transaction, a comment, nor a known directive. "
                + "To fix, indent it if it is a posting, or write ';' before it."
        )
    }

    /// The remedy for each known directive that isn't supported.
    private static let remedies: [String: String] = [
        "include": "To fix, import the other file as well, and remove this line.",
        "alias": "To fix, remove the mark before it.",
        "apply": "To fix, write the full tags or costs where they belong.",
        "capture": "To fix, write the accounts out under their own names.",
        "bucket": "To fix, write the missing postings out.",
        "A": "To fix, write the missing postings out.",
        "define": "To fix, write the amounts out.",
        "def": "To fix, write the amounts out.",
        "fixed": "To fix, write the cost after '@' where it belongs.",
        "python": "To fix, remove the script.",
        "import": "To fix, remove the script.",
        "eval": "To fix, write the amounts out.",
        "expr": "To fix, write the amounts out.",
        "value": "To fix, write the amounts out.",
        "i": "To fix, convert the time log to transactions.",
        "o": "To fix, convert the time log to transactions.",
    ]
}

extension LineCursor {
    /// Reads up to the next white space, but not more than the longest keyword.
    mutating func readKeyword() -> String {
        let first = position
        while position < end, spaceLength(at: position) == 0, position - first < 20 { position += 1 }
        return text(first..<position)
    }
}
