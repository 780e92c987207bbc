// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceHummingbird
import LedgerApplication
import LedgerBooks

/// The parameter of a route about an account.
struct AccountParameter: Decodable, Sendable {
    let account: String
}

/// The parameters of a register.
struct RegisterParameters: Decodable, Sendable {
    let account: String
    let after: String?
    let limit: Int?

    /// Returns the query of the requested page.
    func query() throws -> GetRegisterPage {
        let cursor = try after.map { text in
            guard let cursor = GetRegisterPage.Cursor(text) else { throw Problem.foreignCursor }
            return cursor
        }
        return GetRegisterPage(of: account, after: cursor, limit: try Problem.checkedLimit(limit))
    }
}

/// The parameters of a report.
struct PeriodParameters: Decodable, Sendable {
    let begin: BookDate?
    let end: BookDate?
    let depth: Int?

    var period: BookPeriod { BookPeriod(from: begin, before: end) }

    func validDepth() throws -> Int? {
        if let depth, !(1...100).contains(depth) {
            throw Problem.malformed(
                "The parameter 'depth' must be a number from 1 to 100. To fix, correct or omit it.")
        }
        return depth
    }
}

/// The parameters of a list of transactions.
struct TransactionsParameters: Decodable, Sendable {
    private static var longestText: Int { 500 }

    let begin: BookDate?
    let end: BookDate?
    let text: String?
    let account: String?
    let after: String?
    let limit: Int?

    /// Returns the query of the requested page.
    func query() throws -> GetTransactions {
        let cursor = try after.map { text in
            guard let cursor = PageCursor(text) else { throw Problem.foreignCursor }
            return cursor
        }
        return try query(after: cursor, limit: Problem.checkedLimit(limit))
    }

    /// Returns the query of a page.
    func query(after cursor: PageCursor?, limit: Int) throws -> GetTransactions {
        if let text, text.utf8.count > Self.longestText {
            throw Problem.malformed(
                "The parameter 'text' must have at most \(Self.longestText) bytes. To fix, use fewer words.")
        }
        return GetTransactions(
            in: BookPeriod(from: begin, before: end),
            containing: text ?? "",
            account: account,
            after: cursor,
            limit: limit
        )
    }
}

/// The identifier in a path.
struct IdentifierParameter: Decodable, Sendable {
    let id: String

    /// Returns the identifier of `what`.
    ///
    /// - Throws: `Problem` with the status 404 if it isn't a UUID.
    func uuid(of what: String) throws -> UUID { try UUID(path: id, of: what) }
}

/// The body of `POST /api/transactions/ID/reversal`.
struct ReversalRequest: Decodable, Sendable {
    let id: String
    let date: BookDate?
    let comment: String?

    /// Returns the command.
    ///
    /// - Throws: `Problem`.
    func command() throws -> ReverseTransaction {
        if let comment { try TransactionRequest.requireText(comment, as: "The comment", field: "comment") }
        return ReverseTransaction(try UUID(path: id, of: "transaction"), on: date, comment: comment ?? "")
    }
}

extension Problem {
    /// The problem of a parameter 'after' that isn't a cursor.
    fileprivate static var foreignCursor: Problem {
        .malformed("The parameter 'after' must be the 'next' of a page. To fix, begin without it.")
    }

    /// Returns the number of lines of a page, 50 by default.
    ///
    /// - Throws: `Problem` if `limit` isn't from 1 to 500.
    fileprivate static func checkedLimit(_ limit: Int?) throws -> Int {
        let limit = limit ?? 50
        guard (1...500).contains(limit) else {
            throw Problem.malformed(
                "The parameter 'limit' must be a number from 1 to 500. To fix, correct or omit it.")
        }
        return limit
    }
}

extension UUID {
    /// Creates an identifier from a part of a path.
    ///
    /// - Throws: `Problem` with the status 404 if it isn't a UUID.
    init(path text: String, of what: String) throws {
        guard let id = UUID(uuidString: text) else {
            throw Problem.notFound("There is no such \(what). To fix, use its identifier, which is a UUID.")
        }
        self = id
    }
}
#endif
