//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JournalReader {
    /// The error for a line at the margin that is no date, no comment and no directive that is read here.
    func refusal(of keyword: String, at line: LineCursor) -> JournalError {
        switch line.next {
        case UInt8.equalsSign?:
            return failure(
                .automatedTransaction,
                at: line,
                "Automated transactions are not supported. Remove this one and write its postings out."
            )
        case UInt8.tilde?:
            return failure(
                .periodicTransaction,
                at: line,
                "Periodic transactions are not supported. Remove this one."
            )
        default:
            break
        }
        let name = keyword.first == "!" || keyword.first == "@" ? String(keyword.dropFirst()) : keyword
        if let remedy = Self.remedies[name] {
            return failure(
                .unsupportedDirective,
                at: line,
                "The directive '\(keyword)' changes what follows it and is not supported. \(remedy)"
            )
        }
        return failure(
            .unknownLine,
            at: line,
            "The line starts neither a transaction nor a comment nor a known directive. "
                + "Indent it if it is a posting, or put ';' before it."
        )
    }

    /// What to do instead of each directive that is known but not supported.
    private static let remedies: [String: String] = [
        "include": "Import the other file as well, and remove this line.",
        "alias": "Write the accounts out under their own names.",
        "apply": "Write the full accounts, tags or dates where they belong.",
        "capture": "Write the accounts out under their own names.",
        "bucket": "Write the missing postings out.",
        "A": "Write the missing postings out.",
        "define": "Write the amounts out.",
        "def": "Write the amounts out.",
        "fixed": "Write the cost after '@' where it belongs.",
        "python": "Remove the script.",
        "import": "Remove the script.",
        "eval": "Write the amounts out.",
        "expr": "Write the amounts out.",
        "value": "Write the amounts out.",
        "i": "Convert the time log to transactions.",
        "o": "Convert the time log to transactions.",
    ]
}

extension LineCursor {
    /// Reads up to the next white space, at most as far as any keyword goes.
    mutating func readKeyword() -> String {
        let first = position
        while position < end, spaceLength(at: position) == 0, position - first < 20 { position += 1 }
        return text(first..<position)
    }
}
