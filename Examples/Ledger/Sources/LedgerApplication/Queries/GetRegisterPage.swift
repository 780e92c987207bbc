//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// Asks for what was posted to an account and the accounts below it, the newest first, a page at a time.
public struct GetRegisterPage: CQDQuery {
    /// What a transaction has done to the account.
    public struct Line: Sendable, Hashable {
        /// The transaction.
        public let transaction: UUID

        /// Its day.
        public let date: BookDate

        /// What it is about.
        public let description: String

        /// What it has posted, by commodity; none of it zero.
        public let amounts: [Amount]

        /// What was on the account after it; none of it zero.
        public let balance: [Amount]
    }

    /// Some lines, and where the next ones begin.
    public struct Page: Sendable, Hashable {
        /// The lines, the newest first.
        public let lines: [Line]

        /// Where the next page begins; `nil` where there is none.
        public let next: Cursor?
    }

    /// Where a page ends, with the balance there.
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

        /// Reads what ``description`` gave, or gives `nil` where that is something else.
        public init?(_ description: String) {
            let base64 = description.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
            guard let json = Data(base64Encoded: base64 + padding),
                let content = try? JSONDecoder().decode(Content.self, from: json)
            else { return nil }
            self.content = content
        }

        /// The cursor as text, of letters, digits, `-` and `_`.
        public var description: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            // Text and numbers always encode.
            let json = (try? encoder.encode(content)) ?? Data()
            return json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }
    }

    /// The page.
    public typealias Value = Page

    /// The full name of the account.
    public let account: String

    /// The ``Page/next`` of the page before; `nil` for the first one.
    public let cursor: Cursor?

    /// How many lines the page has at the most.
    public let limit: Int

    /// Creates the query.
    public init(of account: String, after cursor: Cursor? = nil, limit: Int = 50) {
        self.account = account
        self.cursor = cursor
        self.limit = max(1, limit)
    }
}

/// Answers from one moment of the transactions and accounts; throws ``UnknownAccount``, and `StoreError` where the cursor
/// is of something else.
public final class GetRegisterPageHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Answers; see the query.
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
                for posting in transaction.postings where accounts.contains(posting.account) {
                    let commodity = posting.amount.commodity
                    change[commodity] = try (change[commodity] ?? .zero).adding(posting.amount.quantity)
                }
                lines.append(
                    GetRegisterPage.Line(
                        transaction: transaction.id,
                        date: transaction.date,
                        description: transaction.description,
                        amounts: Self.amounts(change),
                        balance: Self.amounts(balance)
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

    private static func amounts(_ quantities: [String: Quantity]) -> [Amount] {
        quantities.sorted { $0.key < $1.key }.compactMap { $0.value.isZero ? nil : Amount($0.value, $0.key) }
    }
}
