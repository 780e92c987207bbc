// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerTestSupport
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct NetWorthTests {
        @Test func theNetWorthIsTheSumOfAssetsAndLiabilitiesAtTheEndOfEachMonth() async throws {
            let folder = try TestFolder()
            let months = [
                "2026-01 EUR 1000 0 1000", "2026-01 USD 5 0 5", "2026-02 EUR 900 -300 600", "2026-03 EUR 900 -250 650",
            ]
            try await TestServer.with(in: folder) { server in
                for (amount, from, to, date) in [
                    ("1000 EUR", "income:salary", "assets:bank", "2026-01-31"),
                    ("100 EUR", "assets:bank", "expenses:food", "2026-02-01"),
                    ("300 EUR", "liabilities:card", "expenses:rent", "2026-02-28"),
                    ("5 USD", "income:interest", "assets:abroad", "2026-01-02"),
                    ("30 EUR", "equity", "liabilities:card", "2026-03-01"),
                    ("20 EUR", "equity", "Debts:card", "2026-03-01"),
                ] {
                    #expect(try await server.transfer(amount, from: from, to: to, on: date).status == 201)
                }
                try await server.server.projections.untilCurrent()
                #expect(try await netWorth(server) == months)
            }
            // The rows are stored.
            try await TestServer.with(in: folder) { server in
                try await server.server.projections.untilCurrent()
                #expect(try await netWorth(server) == months)
            }
        }

        /// A journal can declare the type of an account that has transactions already.
        @Test func theNetWorthHasTheAccountsWhoseTypesJournalsDeclare() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.transfer("10 EUR", from: "wages", to: "suspense:till", on: "2026-01-31")
                try await server.transfer("4 EUR", from: "assets:card", to: "expenses:food", on: "2026-02-01")
                try await server.listen { events in
                    _ = try await events.next()
                    for atomic in [true, false] {
                        let end = "2026-03-01 \(atomic)\n    assets:cash  1 EUR\n    wages\n"
                        let text = "account suspense  ; type:A\n" + end + "account assets:card  ; type:L\n"
                        _ = try await server.upload(text, named: "\(atomic).journal", atomic: atomic)
                        _ = try await events.first("import", as: ImportResponse.self) {
                            $0.name == "\(atomic).journal" && $0.state == "finished"
                        }
                    }
                }
                try await server.server.projections.untilCurrent()
                #expect(
                    try await netWorth(server) == ["2026-01 EUR 10 0 10", "2026-02 EUR 10 -4 6", "2026-03 EUR 12 -4 8"])
            }
        }

        private func netWorth(_ server: TestServer) async throws -> [String] {
            try await server.get("/api/net-worth").json(NetWorthResponse.self).months.map { month in
                "\(month.month) \(month.commodity) \(month.assets) \(month.liabilities) \(month.net)"
            }
        }
    }
}
#endif
