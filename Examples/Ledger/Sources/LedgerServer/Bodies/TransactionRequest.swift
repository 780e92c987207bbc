// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceHummingbird
import LedgerBooks
import LedgerJournal

/// The body of `POST /api/transactions`.
struct TransactionRequest: Codable, Equatable {
    struct PostingRequest: Codable, Equatable {
        let account: String
        let amount: String?
    }

    let date: String
    let description: String?
    let code: String?
    let comment: String?
    let postings: [PostingRequest]

    private static let longestText = 4_000
    private static let mostPostings = 1_000

    /// Parses the request.
    ///
    /// The transaction isn't validated yet.
    ///
    /// - Throws: `Problem`.
    func draft() throws -> TransactionDraft {
        guard let day = BookDate(date) else {
            throw Problem.invalid(
                "invalidDate",
                "'\(date.prefix(60))' isn't a date. To fix, write it as in 2026-01-31."
            )
            .about("date")
        }
        if postings.count > Self.mostPostings {
            throw Problem.invalid(
                "tooManyPostings",
                "The transaction has too many postings. To fix, use at most \(Self.mostPostings)."
            )
            .about("postings")
        }
        var drafts: [PostingDraft] = []
        for (index, posting) in postings.enumerated() {
            let place = "Posting \(index + 1)"
            let account = posting.account.trimmingCharacters(in: .whitespaces)
            try Self.requireLine(
                account, as: "The account of posting \(index + 1)", field: "postings[\(index)].account")
            var draft = PostingDraft(account: account)
            let text = posting.amount?.trimmingCharacters(in: .whitespaces) ?? ""
            if !text.isEmpty {
                do {
                    (draft.amount, draft.cost) = try JournalParser(maximumLineLength: 200).amount(text)
                } catch let error as JournalError {
                    throw Problem.invalid("\(error.code)", "\(place): \(error.message)")
                        .about("postings[\(index)].amount")
                }
            }
            drafts.append(draft)
        }
        try Self.requireLine(description ?? "", as: "The description", field: "description")
        try Self.requireLine(code ?? "", as: "The code", field: "code")
        try Self.requireText(comment ?? "", as: "The comment", field: "comment")
        return TransactionDraft(
            date: day,
            code: code ?? "",
            description: description ?? "",
            comment: comment ?? "",
            postings: drafts
        )
    }

    private static func requireLine(_ text: String, as what: String, field: String) throws {
        try requireText(text, as: what, field: field)
        // Most texts are ASCII and need no other check.
        if isPrintableASCII(text) { return }
        if text.contains(where: \.isNewline) {
            throw Problem.invalid("severalLines", "\(what) must be a single line.").about(field)
        }
    }

    static func requireText(_ text: String, as what: String, field: String) throws {
        if text.utf8.count > longestText {
            throw Problem.invalid("tooLong", "\(what) must have at most \(longestText) bytes.")
                .about(field)
        }
        if isPrintableASCII(text) { return }
        // Invisible characters that change the direction of text make texts look like others.
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.properties.generalCategory != .control && !$0.properties.isBidiControl
        }
        if !isPlain {
            throw Problem.invalid(
                "controlCharacter", "\(what) contains a control character. To fix, remove it."
            )
            .about(field)
        }
    }

    private static func isPrintableASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
#endif
