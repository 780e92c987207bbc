// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import LedgerApplication
import LedgerBooks
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    /// Lists, reports, reversals, and tables.
    @Suite(.timeLimit(.minutes(2))) struct ReportRoutesTests {
        private static func post(
            _ server: TestServer,
            _ date: String,
            _ description: String,
            _ from: String,
            _ to: String,
            _ amount: String
        ) async throws -> UUID {
            let answer = try await server.post(
                "/api/transactions",
                json: """
                    {"date":"\(date)","description":"\(description)",
                    "postings":[{"account":"\(to)","amount":"\(amount)"},{"account":"\(from)"}]}
                    """)
            #expect(answer.status == 201, "\(answer.text)")
            return try answer.json(PostedResponse.self).transaction
        }

        /// Two months of a household.
        private static func household(_ server: TestServer) async throws {
            _ = try await post(server, "2026-01-05", "Salary", "income:salary", "assets:bank", "2000 EUR")
            _ = try await post(server, "2026-01-09", "Market hall", "assets:bank", "expenses:food:fruit", "30 EUR")
            _ = try await post(server, "2026-02-09", "Bakery", "assets:bank", "expenses:food:bread", "5 EUR")
        }

        private static func amounts(_ amounts: [AmountResponse]) -> [String] {
            amounts.map { "\($0.quantity) \($0.commodity)" }
        }

        @Test func transactionsAreFilteredByDaysWordsAndAccount() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await Self.household(server)
                func descriptions(_ query: String) async throws -> [String] {
                    let answer = try await server.get("/api/transactions?\(query)")
                    #expect(answer.status == 200, "\(query): \(answer.text)")
                    return try answer.json(TransactionsResponse.self).transactions.map(\.description)
                }

                #expect(try await descriptions("") == ["Bakery", "Market hall", "Salary"])
                #expect(try await descriptions("begin=2026-01-09") == ["Bakery", "Market hall"])
                #expect(try await descriptions("begin=2026-01-05&end=2026-01-09") == ["Salary"])
                #expect(try await descriptions("text=HALL+market") == ["Market hall"])
                #expect(try await descriptions("text=bread") == ["Bakery"])
                #expect(try await descriptions("account=expenses:food&end=2026-02-01") == ["Market hall"])
                let first = try await server.get("/api/transactions?limit=2").json(TransactionsResponse.self)
                let next = try #require(first.next)
                #expect(try await descriptions("limit=2&after=\(next)") == ["Salary"])
            }
        }

        @Test(
            arguments: [
                "transactions?begin=yesterday", "transactions?limit=0", "transactions?limit=501",
                "transactions?after=x", "transactions?begin=2026-02-30", "transactions?limit=1&limit=2",
                "transactions.csv?end=x",
                "income-statement?depth=0", "income-statement?end=2026", "balance-sheet?depth=x",
                "transactions?text=\(String(repeating: "a", count: 501))",
            ])
        func aMalformedParameterIsRefused(query: String) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let answer = try await server.get("/api/\(query)")

                #expect(answer.status == 400, "\(answer.text)")
                #expect(try answer.json(ProblemBody.self).code == "malformed")
            }
        }

        @Test func reportsCountAPeriod() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await Self.household(server)

                let january = try await server.get("/api/income-statement?begin=2026-01-01&end=2026-02-01&depth=2")
                    .json(IncomeStatementResponse.self)
                #expect(january.income.lines.map(\.account) == ["income:salary"])
                #expect(january.expenses.lines.map(\.account) == ["expenses:food"])
                #expect(Self.amounts(january.expenses.total) == ["30 EUR"])
                #expect(Self.amounts(january.net) == ["1970 EUR"])

                let sheet = try await server.get("/api/balance-sheet?end=2026-02-01").json(BalanceSheetResponse.self)
                #expect(Self.amounts(sheet.assets.total) == ["1970 EUR"])
                #expect(Self.amounts(sheet.net) == ["1970 EUR"])
            }
        }

        @Test func aTransactionIsReversedOnce() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let id = try await Self.post(server, "2026-01-09", "Hall", "assets:bank", "expenses:food", "30 EUR")
                let path = "/api/transactions/\(id)/reversal"

                let early = try await server.post(path, json: #"{"date":"2026-01-08"}"#)
                #expect(early.status == 422)
                let answer = try await server.post(
                    path, json: #"{"date":"2026-01-10"}"#, headers: ["Idempotency-Key: k"])
                #expect(answer.status == 201)
                let reversal = try answer.json(PostedResponse.self).transaction
                #expect(answer.headers["location"] == "/api/transactions/\(reversal)")
                let again = try await server.post(
                    path, json: #"{"date":"2026-01-10"}"#, headers: ["Idempotency-Key: k"])
                #expect(try again.json(PostedResponse.self).transaction == reversal)
                let twice = try await server.post(path, json: "{}")
                #expect(twice.status == 409)
                #expect(try twice.json(ProblemBody.self).code == "alreadyReversed")

                let original = try await server.get("/api/transactions/\(id)").json(TransactionResponse.self)
                let posted = try await server.get("/api/transactions/\(reversal)").json(TransactionResponse.self)
                #expect(original.reversedBy == reversal)
                #expect(posted.reverses == id)
                #expect(posted.date == "2026-01-10")
                #expect(try await server.balances() == [])
                #expect(try await server.post("/api/transactions/\(UUID())/reversal", json: "{}").status == 404)
                #expect(try await server.post("/api/transactions/x/reversal", json: "{}").status == 404)
            }
        }

        @Test func tablesHaveOneRowForEachAmount() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await Self.household(server)

                let balances = try await server.get("/api/balances.csv")
                #expect(balances.headers["content-type"] == "text/csv; charset=utf-8; header=present")
                #expect(balances.headers["content-disposition"] == "attachment; filename=\"balances.csv\"")
                #expect(
                    balances.text
                        == "account,commodity,amount\r\nassets:bank,EUR,1965\r\nexpenses:food:bread,EUR,5\r\n"
                        + "expenses:food:fruit,EUR,30\r\nincome:salary,EUR,-2000\r\n")
                let statement = try await server.get("/api/income-statement.csv?end=2026-02-01&depth=1").text
                #expect(
                    statement
                        == "section,account,commodity,amount\r\nincome,income,EUR,2000\r\nexpenses,expenses,EUR,30\r\n"
                        + "net,,EUR,1970\r\n")
                #expect(try await server.get("/api/balance-sheet.csv").text.contains("assets,assets:bank,EUR,1965\r\n"))
            }
        }

        /// The columns are those of the command line.
        @Test func tablesOfTransactionsHaveCostsAndReversals() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let id = try await Self.post(server, "2026-01-05", "=1+1", "@cash", "assets:a", "2 X @ 3 EUR")
                let path = "/api/transactions/\(id)/reversal"
                let reversal = try await server.post(path, json: #"{"date":"2026-01-06"}"#)
                    .json(PostedResponse.self).transaction

                let lines = try await server.get("/api/transactions.csv").text.components(separatedBy: "\r\n")

                #expect(
                    lines.contains(
                        "transaction,date,status,code,description,comment,account,commodity,amount,unit_cost,total_cost,"
                            + "reverses,reversed_by"))
                #expect(lines.contains("\(id),2026-01-05,unmarked,,'=1+1,,assets:a,X,2,3 EUR,,,\(reversal)"))
                #expect(
                    lines.contains(
                        "\(reversal),2026-01-06,unmarked,,Reversal of 2026-01-05 =1+1,,'@cash,EUR,6,,,\(id),"
                    ))
            }
        }

        @Test func aTableOfARegisterHasOneRowForEachPosting() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let first = try await Self.post(server, "2026-01-05", "One", "equity", "assets:a", "10 EUR")
                let second = try await Self.post(server, "2026-01-06", "Move", "assets:a", "assets:b", "4 EUR")

                let lines = try await server.get("/api/register.csv?account=assets").text
                    .components(separatedBy: "\r\n").filter { $0.contains(",") }

                #expect(
                    lines == [
                        "transaction,date,description,account,commodity,amount,balance",
                        "\(second),2026-01-06,Move,assets:a,EUR,-4,10", "\(second),2026-01-06,Move,assets:b,EUR,4,14",
                        "\(first),2026-01-05,One,assets:a,EUR,10,10",
                    ])
            }
        }

        @Test func aTableHasAllPages() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let journal = (1...1_200).map { "2026-01-01 number \($0)\n    a  1 EUR\n    b\n" }.joined(
                    separator: "\n")
                #expect(try await server.upload(journal).status == 202)
                try await server.listen { events in
                    _ = try await events.first("balances", as: BalancesEvent.self) { $0.transactions == 1_200 }
                }

                // Chunks are marked by their sizes.
                func rows(_ path: String) async throws -> Int {
                    let lines = try await server.get(path).text.components(separatedBy: "\r\n")
                    return lines.filter { $0.contains(",2026-01-01,") }.count
                }
                #expect(try await rows("/api/register.csv?account=a") == 1_200)
                #expect(try await rows("/api/transactions.csv") == 2_400)
                #expect(try await rows("/api/transactions.csv?text=number+1200") == 2)
                #expect(try await server.get("/api/register.csv?account=none").status == 404)
            }
        }

        @Test(
            arguments: [
                ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""),
                ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"),
                ("@x", "'@x"), ("\tx", "'\tx"),
                ("=\"a\",b", "\"'=\"\"a\"\",b\""), ("\u{FF1D}1", "'\u{FF1D}1"), ("a=1", "a=1"), (" =1", " =1"),
                ("\r\n=1", "\"'\r\n=1\""), ("ü", "ü"),
            ])
        func aTextIsQuotedAndIsNoFormula(text: String, encoded: String) {
            #expect(CSVTable.Cell.text(text).encoded == encoded)
        }

        @Test func aNegativeNumberStaysANumber() throws {
            #expect(CSVTable.Cell.number(try #require(Quantity("-12.30"))).encoded == "-12.30")
        }
    }
}
#endif
