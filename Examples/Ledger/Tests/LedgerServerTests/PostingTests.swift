// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct PostingTests {
        @Test func aPostedTransactionIsVisibleAtOnceInEveryResponse() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await server.transfer("2.50 EUR", from: "assets:cash", to: "expenses:food")

                #expect(answer.status == 201)
                let id = try answer.json(PostedResponse.self).transaction
                #expect(answer.headers["location"] == "/api/transactions/\(id)")
                #expect(try await server.balances() == ["assets:cash -2.50 EUR", "expenses:food 2.50 EUR"])
                let accounts = try await server.get("/api/accounts").json(AccountsResponse.self)
                #expect(accounts.accounts == ["assets:cash", "expenses:food"])
                let transaction = try await server.get("/api/transactions/\(id)").json(TransactionResponse.self)
                #expect(transaction.transaction == id)
                #expect(transaction.date == "2026-01-31")
                #expect(transaction.postings.map(\.account) == ["expenses:food", "assets:cash"])
                #expect(transaction.postings.map(\.amount.quantity) == ["2.50", "-2.50"])
            }
        }

        @Test func aRequestWithAKeyTakesEffectOnceAndHasOneResponse() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for _ in 1...8 {
                        group.addTask { try await server.transfer("3 EUR", key: "the key") }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }

                #expect(answers.map(\.status) == Array(repeating: 201, count: 8))
                #expect(Set(answers.map(\.text)).count == 1)
                #expect(try await server.balances() == ["cash -3 EUR", "food 3 EUR"])

                let other = try await server.transfer("4 EUR", key: "the key")
                #expect(other.status == 409)
                #expect(try other.json(ProblemBody.self).code == "keyUsed")
                #expect(try await server.balances() == ["cash -3 EUR", "food 3 EUR"])
            }
        }

        @Test func aKeyInQuotationMarksIsTheSameKey() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let first = try await server.transfer("3 EUR", key: "k")
                let again = try await server.transfer("3 EUR", key: "\"k\"")

                #expect(first.text == again.text)
                #expect(try await server.balances() == ["cash -3 EUR", "food 3 EUR"])
            }
        }

        @Test func aKeyIsKeptAfterARestartUnlessItsRequestWasRefused() async throws {
            let folder = try TestFolder()
            let first = try await TestServer.with(in: folder) { server in
                let refused = try await server.post(
                    "/api/transactions",
                    json: #"{"date":"2026-01-01","postings":[{"account":"a","amount":"1 EUR"}]}"#,
                    headers: ["Idempotency-Key: other"]
                )
                #expect(refused.status == 422)
                #expect(try await server.transfer("1 EUR", key: "other").status == 201)
                return try await server.transfer("3 EUR", key: "once").text
            }
            try await TestServer.with(in: folder) { server in
                let again = try await server.transfer("3 EUR", key: "once")
                #expect(again.text == first)
                #expect(try await server.balances() == ["cash -4 EUR", "food 4 EUR"])
            }
        }

        @Test func concurrentPostsToTheSameAccountsAllSucceed() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for worker in 1...32 {
                        group.addTask {
                            var statuses: [Int] = []
                            for round in 1...8 {
                                let (source, target) = worker.isMultiple(of: 2) ? ("a", "b") : ("b", "a")
                                let amount = "\(worker * round) EUR"
                                statuses.append(try await server.transfer(amount, from: source, to: target).status)
                            }
                            return statuses
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }

                #expect(statuses == Array(repeating: 201, count: 256))
                // 36 * (1 + 3 + … + 31) against 36 * (2 + 4 + … + 32).
                #expect(try await server.balances() == ["a -576 EUR", "b 576 EUR"])
            }
        }

        @Test func theRegisterHasPagesWithTheBalanceAfterEachTransaction() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for day in [3, 1, 5, 2, 4] {
                    try await server.transfer("\(day) EUR", from: "bank:out", to: "bank:in:x", on: "2026-01-0\(day)")
                    try await server.transfer("1\(day) EUR", from: "bank:in", to: "rent", on: "2026-01-0\(day)")
                }

                var lines: [String] = []
                var pages = 0
                var path = "/api/register?account=bank:in&limit=3"
                while true {
                    let page = try await server.get(path).json(RegisterResponse.self)
                    pages += 1
                    lines += page.lines.map { line in
                        "\(line.date) \(line.amounts.map(\.quantity)) \(line.balance.map(\.quantity))"
                    }
                    guard let next = page.next else { break }
                    path = "/api/register?account=bank:in&limit=3&after=\(next)"
                }

                #expect(pages == 4)
                var balance = 0
                var expected: [String] = []
                for day in 1...5 {
                    balance += day
                    expected.append("2026-01-0\(day) [\"\(day)\"] [\"\(balance)\"]")
                    balance -= 10 + day
                    expected.append("2026-01-0\(day) [\"-1\(day)\"] [\"\(balance)\"]")
                }
                #expect(lines == expected.reversed())
                let foreign = try await server.get("/api/register?account=bank:in&after=nonsense")
                #expect(foreign.status == 400)
            }
        }

        @Test func aTransactionThatBreaksARuleIsRefused() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.transfer("10 EUR", from: "equity", to: "cash")
                let body = Array(#"{"neverBelowZero":true,"closedFrom":"2027-01-01"}"#.utf8)
                let json = ["Content-Type: application/json"]
                #expect(try await server.send("PUT", "/api/rule?account=cash", headers: json, body: body).status == 200)
                #expect(try await server.send("PUT", "/api/rule?account=none", headers: json, body: body).status == 404)
                #expect(
                    try await server.send("PUT", "/api/rule?account=equity", headers: json, body: body).status == 422)

                #expect(try await server.transfer("10 EUR").status == 201)
                let below = try await server.transfer("0.01 EUR")
                #expect(below.status == 422)
                #expect(try below.json(ProblemBody.self).code == "belowZero")
                let late = try await server.transfer("5 EUR", from: "equity", to: "cash", on: "2027-01-01")
                #expect(try late.json(ProblemBody.self).code == "closed")
                #expect(try await server.balances() == ["equity -10 EUR", "food 10 EUR"])
            }
        }
    }
}
#endif
