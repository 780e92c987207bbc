// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A query for one page of the transactions of an account and its subaccounts, the newest first.
public struct GetRegisterPage: CQDQuery {
    /// The effect of a transaction on the account.
    public struct Line: Sendable, Hashable {
        /// The identifier of the transaction.
        public let transaction: UUID

        /// The date of the transaction.
        public let date: BookDate

        /// The description of the transaction.
        public let description: String

        /// The changes of the balances that aren't zero, ordered by commodity.
        public let amounts: [Amount]

        /// The postings to the account and its subaccounts.
        public let postings: [Posting]

        /// The balances after the transaction that aren't zero, ordered by commodity.
        public let balance: [Amount]
    }

    /// A page of lines.
    public struct Page: Sendable, Hashable {
        /// The lines, the newest first.
        public let lines: [Line]

        /// The cursor of the next page; `nil` on the last page.
        public let next: Cursor?
    }

    /// The end of a page, with the balances before its last line.
    public struct Cursor: Sendable, Hashable, LosslessStringConvertible {
        private struct Content: Codable, Hashable {
            var place: PageCursor
            var balance: [String: Quantity]
        }

        private let content: Content

        var place: PageCursor { content.place }
        var balance: [String: Quantity] { content.balance }

        init(_ place: PageCursor, balance: [String: Quantity]) {
            content = Content(place: place, balance: balance)
        }

        /// Creates a cursor from its ``description``.
        ///
        /// Returns `nil` if the text is something else.
        public init?(_ description: String) {
            let base64 = description.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
            guard let json = Data(base64Encoded: base64 + padding),
                let content = try? JSONDecoder().decode(Content.self, from: json)
            else { return nil }
            self.content = content
        }

        /// The cursor as text: letters, digits, `-`, and `_`.
        public var description: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            // Encoding of texts and numbers never fails.
            let json = (try? encoder.encode(content)) ?? Data()
            return json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
    }

    /// The page.
    public typealias Value = Page

    /// The full name of the account.
    public let account: String

    /// The ``Page/next`` of the previous page; `nil` for the first page.
    public let cursor: Cursor?

    /// The maximum number of lines.
    public let limit: Int

    /// Creates the query.
    public init(of account: String, after cursor: Cursor? = nil, limit: Int = 50) {
        self.account = account
        self.cursor = cursor
        self.limit = max(1, limit)
    }
}

/// Reads the transactions and accounts from one snapshot.
///
/// Throws ``UnknownAccount``, and `StoreError` if the cursor belongs to something else.
public final class GetRegisterPageHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetRegisterPage) async throws -> GetRegisterPage.Page {
        try await store.read { context in
            let accounts = try await Account.names(upFrom: query.account, in: context)
            var balance: [String: Quantity] = [:]
            if let cursor = query.cursor {
                balance = cursor.balance
            } else {
                for account in try await context.fetch(Account.self) where accounts.contains(account.id) {
                    for (commodity, quantity) in account.balances {
                        balance[commodity] = try (balance[commodity] ?? .zero).adding(quantity)
                    }
                }
            }
            let page = try await context.page(
                Transaction.self,
                where: [.isOneOf(.account, Array(accounts))],
                orderedBy: .descending(.date),
                after: query.cursor?.place,
                limit: query.limit
            )
            var lines: [GetRegisterPage.Line] = []
            for transaction in page.entities {
                var change: [String: Quantity] = [:]
                let postings = transaction.postings.filter { accounts.contains($0.account) }
                for posting in postings {
                    let commodity = posting.amount.commodity
                    change[commodity] = try (change[commodity] ?? .zero).adding(posting.amount.quantity)
                }
                lines.append(
                    GetRegisterPage.Line(
                        transaction: transaction.id,
                        date: transaction.date,
                        description: transaction.description,
                        amounts: change.amounts,
                        postings: postings,
                        balance: balance.amounts
                    )
                )
                for (commodity, quantity) in change {
                    balance[commodity] = try (balance[commodity] ?? .zero).subtracting(quantity)
                }
            }
            return GetRegisterPage.Page(
                lines: lines,
                next: page.next.map { GetRegisterPage.Cursor($0, balance: balance) }
            )
        }
    }
}
