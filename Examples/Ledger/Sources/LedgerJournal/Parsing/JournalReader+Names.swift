// SPDX-License-Identifier: Apache-2.0

extension JournalReader {
    /// Reads the year of dates without a year.
    mutating func readYear(_ text: String, at start: LineCursor) throws(JournalError) {
        let digits = text.prefix { $0 != ";" }.trimmingSuffix(while: \.isWhitespace)
        guard digits.utf8.count == 4, digits.utf8.allSatisfy(\.isASCIIDigit), let year = Int(digits), year > 0 else {
            throw invalidDirective(at: start, "The directive has no year of four digits. To fix, write it as in Y2024.")
        }
        defaultYear = year
    }

    /// Reads the old and the new name of an account, or a regular expression and its replacement.
    mutating func readAlias(_ line: LineCursor, at start: LineCursor) throws(JournalError) {
        if line.next == .slash { return try readPatternAlias(line, at: start) }
        let text = line.trimmedText(upTo: line.end)
        let names = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0.trimmingPrefix(while: \.isWhitespace).trimmingSuffix(while: \.isWhitespace)) }
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else {
            throw invalidDirective(at: start, "The alias has no two names. To fix, write it as in alias old = new.")
        }
        guard accountNames.rename(names[0], to: names[1]) else { throw tooManyAliases(at: start) }
    }

    /// Reads an alias as in `alias /PATTERN/ = REPLACEMENT`.
    private mutating func readPatternAlias(_ start: LineCursor, at directive: LineCursor) throws(JournalError) {
        let text = start.text((start.position + 1)..<start.end)
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? parts[1].trimmingPrefix(while: \.isWhitespace) : ""
        guard let pattern = parts.first, !pattern.isEmpty, rest.first == "=" else {
            throw invalidDirective(
                at: directive, "The alias isn't complete. To fix, write it as in alias /PATTERN/ = REPLACEMENT."
            )
        }
        let replacement = rest.dropFirst().trimmingPrefix(while: \.isWhitespace)
        let isAccepted: Bool
        do {
            isAccepted = try accountNames.replaceMatches(of: pattern, with: replacement)
        } catch {
            throw invalidDirective(
                at: directive, "The regular expression is invalid: \(error.cause). To fix, correct it."
            )
        }
        if !isAccepted { throw tooManyAliases(at: directive) }
    }

    private func tooManyAliases(at start: LineCursor) -> JournalError {
        invalidDirective(
            at: start,
            "There are more than \(AccountNames.maximumAliasCount) aliases, or they have more than "
                + "\(AccountNames.maximumAliasLength) bytes together. To fix, use fewer, or 'end aliases'."
        )
    }

    /// Reads the directive after `apply`.
    mutating func readApply(_ line: inout LineCursor, from start: LineCursor) throws(JournalError) {
        let keyword = line.readKeyword()
        line.skipSpaces()
        let argument = line.trimmedText(upTo: line.end)
        switch keyword {
        case "account":
            guard !argument.isEmpty else {
                throw invalidDirective(at: start, "The directive has no account. To fix, complete it, or remove it.")
            }
            guard accountNames.begin(argument) else {
                throw invalidDirective(
                    at: start,
                    "The parents from 'apply account' have more than \(AccountNames.maximumLength) bytes together. "
                        + "To fix, use shorter names, or write 'end apply account' before this line."
                )
            }
        case "year":
            try readYear(argument, at: start)
        default:
            throw refusal(of: "apply", at: start)
        }
    }
}

extension Substring {
    /// The text without the characters at its end that match `predicate`.
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !predicate($0) }) else { return prefix(0) }
        return self[...last]
    }
}
