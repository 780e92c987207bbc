// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LedgerApplication
import LedgerBooks

/// An amount.
///
/// The quantity is text, because JSON numbers may lose digits.
struct AmountResponse: Codable, Equatable {
    let commodity: String
    let quantity: String

    init(_ amount: Amount) {
        commodity = amount.commodity
        quantity = amount.quantity.description
    }
}

/// The response to `GET /api/accounts`.
struct AccountsResponse: ResponseCodable, Equatable {
    let accounts: [String]
}

/// The balances of an account.
struct BalanceResponse: Codable, Equatable {
    let account: String
    let amounts: [AmountResponse]
}

/// The response to `GET /api/balances`.
struct BalancesResponse: ResponseCodable, Equatable {
    let balances: [BalanceResponse]

    init(_ balances: [GetBalances.Balance]) {
        var responses: [BalanceResponse] = []
        for balance in balances {
            let amount = AmountResponse(balance.amount)
            if let last = responses.last, last.account == balance.account {
                responses[responses.count - 1] = BalanceResponse(
                    account: last.account, amounts: last.amounts + [amount])
            } else {
                responses.append(BalanceResponse(account: balance.account, amounts: [amount]))
            }
        }
        self.balances = responses
    }
}

/// The response to `GET /api/register`.
struct RegisterResponse: ResponseCodable, Equatable {
    struct Line: Codable, Equatable {
        let transaction: UUID
        let date: String
        let description: String
        let amounts: [AmountResponse]
        let balance: [AmountResponse]
    }

    let account: String
    let lines: [Line]
    let next: String?

    init(_ page: GetRegisterPage.Page, of account: String) {
        self.account = account
        lines = page.lines.map { line in
            Line(
                transaction: line.transaction,
                date: line.date.description,
                description: line.description,
                amounts: line.amounts.map { AmountResponse($0) },
                balance: line.balance.map { AmountResponse($0) }
            )
        }
        next = page.next?.description
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(account, forKey: .account)
        try container.encode(lines, forKey: .lines)
        // 'null' is written, too.
        try container.encode(next, forKey: .next)
    }
}

/// The response to `GET /api/history`.
struct HistoryResponse: ResponseCodable, Equatable {
    struct Point: Codable, Equatable {
        let date: String
        let quantity: String
    }

    struct Series: Codable, Equatable {
        let commodity: String
        let points: [Point]
    }

    let account: String
    let series: [Series]

    init(_ series: [GetHistory.Series], of account: String) {
        self.account = account
        self.series = series.map { series in
            Series(
                commodity: series.commodity,
                points: series.points.map { Point(date: $0.date.description, quantity: $0.quantity.description) }
            )
        }
    }
}

/// The response to `GET /api/net-worth`.
struct NetWorthResponse: ResponseCodable, Equatable {
    struct Month: Codable, Equatable {
        let month: String
        let commodity: String
        let assets: String
        let liabilities: String
        let net: String
    }

    let months: [Month]

    init(_ months: [GetNetWorth.Month]) {
        self.months = months.map { month in
            Month(
                month: month.month,
                commodity: month.commodity,
                assets: month.assets.description,
                liabilities: month.liabilities.description,
                net: month.net.description
            )
        }
    }
}

/// The response to `GET /api/transactions/ID`.
struct TransactionResponse: ResponseCodable, Equatable {
    struct PostingResponse: Codable, Equatable {
        let account: String
        let amount: AmountResponse
        let cost: String?

        init(_ posting: Posting) {
            account = posting.account
            amount = AmountResponse(posting.amount)
            cost =
                switch posting.cost {
                case .unit(let price): "@ \(price)"
                case .total(let price): "@@ \(price)"
                case nil: nil
                }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(account, forKey: .account)
            try container.encode(amount, forKey: .amount)
            try container.encode(cost, forKey: .cost)
        }
    }

    let transaction: UUID
    let date: String
    let status: String
    let code: String
    let description: String
    let comment: String
    let postings: [PostingResponse]
    let reverses: UUID?
    let reversedBy: UUID?

    init(_ posted: GetTransaction.Posted) {
        transaction = posted.id
        date = posted.date.description
        status = posted.status.rawValue
        code = posted.code
        description = posted.description
        comment = posted.comment
        postings = posted.postings.map { PostingResponse($0) }
        reverses = posted.reverses
        reversedBy = posted.reversedBy
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transaction, forKey: .transaction)
        try container.encode(date, forKey: .date)
        try container.encode(status, forKey: .status)
        try container.encode(code, forKey: .code)
        try container.encode(description, forKey: .description)
        try container.encode(comment, forKey: .comment)
        try container.encode(postings, forKey: .postings)
        try container.encode(reverses, forKey: .reverses)
        try container.encode(reversedBy, forKey: .reversedBy)
    }
}

/// The response to `POST /api/transactions`.
struct PostedResponse: ResponseCodable, Equatable {
    let transaction: UUID

    /// The response with the status 201 and the path of the transaction.
    var created: EditedResponse<PostedResponse> {
        EditedResponse(
            status: .created,
            headers: [
                .location: "/api/transactions/\(transaction)", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            response: self
        )
    }
}

/// The response to `POST /api/imports`.
struct ImportBegunResponse: Codable, Equatable {
    let `import`: UUID
}

/// The response to `GET /api/imports/ID`.
struct ImportResponse: ResponseCodable, Equatable {
    /// The reason of a failed import.
    struct Failure: Codable, Equatable {
        let code: String
        let message: String
        let line: Int?
    }

    let id: UUID
    let name: String
    let state: String
    let done: Int
    let total: Int
    let atomic: Bool
    let posted: Int
    let known: Int
    let error: Failure?

    init(_ status: ImportStatus) {
        id = status.id
        name = status.name
        state = status.state.rawValue
        done = status.done
        total = status.total
        atomic = status.isAtomic
        posted = status.posted
        known = status.known
        error = status.failure.map { Failure(code: $0.code, message: $0.message, line: $0.line) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(state, forKey: .state)
        try container.encode(done, forKey: .done)
        try container.encode(total, forKey: .total)
        try container.encode(atomic, forKey: .atomic)
        try container.encode(posted, forKey: .posted)
        try container.encode(known, forKey: .known)
        try container.encode(error, forKey: .error)
    }
}

/// The response to `GET /api/imports`.
struct ImportsResponse: ResponseCodable, Equatable {
    let imports: [ImportResponse]
}

/// The response to `GET /api/health`.
struct HealthResponse: Codable, Equatable {
    let status: String
    let transactions: Int
    let pendingDeliveries: Int
    let deadLetters: Int
}
#endif
