// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerTestSupport
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct StandingOrderRoutesTests {
        private let path = "/api/standing-orders/\(UUID())"

        private func place(
            _ server: TestServer,
            count: Int,
            days: Int = 30,
            opposite: String = "null"
        ) async throws -> Answer {
            let body = """
                {"transaction":{"date":"2026-01-31","description":"rent","postings":[
                {"account":"expenses:rent","amount":"10 EUR"},{"account":"assets:cash","amount":\(opposite)}]},
                "count":\(count),"days":\(days)}
                """
            return try await server.send(
                "PUT", path, headers: ["Content-Type: application/json"], body: Array(body.utf8))
        }

        private func orders(_ server: TestServer) async throws -> [String] {
            try await server.get("/api/standing-orders").json(StandingOrdersResponse.self).orders
                .map { "\($0.description) \($0.paid)/\($0.count) \($0.state)" }
        }

        @Test func aStandingOrderIsPaidListedAndCancelled() async throws {
            let (folder, path) = (try TestFolder(), path)
            try await TestServer.with(in: folder) { (server) async throws in
                // A repeated request has no further effect.
                for _ in 1...2 { #expect(try await place(server, count: 2).status == 204) }
                // The process receives that the order was placed, and that the first payment was made.
                await server.deliveries.waits(for: 2, to: "standing-order-payments")

                #expect(try await orders(server) == ["rent 1/2 active"])
                #expect(try await place(server, count: 3).status == 409)
                #expect(try await place(server, count: 2, days: 31).status == 409)
                #expect(try await server.send("DELETE", path).status == 204)
                #expect(try await orders(server) == ["rent 1/2 cancelled"])
                #expect(try await server.send("DELETE", path).status == 204)
            }
        }

        @Test func anOrderThatMakesNoSenseIsRefusedWithItsField() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { (server) async throws in
                for (count, days, field) in [(0, 1, "count"), (1_001, 1, "count"), (1, 0, "days"), (1, 3_661, "days")] {
                    let answer = try await place(server, count: count, days: days)
                    #expect(answer.status == 422)
                    #expect(answer.text.contains("\"\(field)\""))
                }
                let unbalanced = try await place(server, count: 1, opposite: "\"10 EUR\"")
                #expect(unbalanced.status == 422)
                #expect(try unbalanced.json(ProblemBody.self).code == "unbalanced")
                #expect(try await server.send("DELETE", path).status == 404)
                #expect(try await orders(server) == [])
            }
        }
    }
}
#endif
