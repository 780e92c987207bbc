// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    /// Two servers on one database.
    @Suite(.timeLimit(.minutes(3))) struct SeveralServersTests {
        private func with(_ body: @Sendable @escaping (TestServer, TestServer) async throws -> Void) async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { first in
                try await TestServer.with(in: folder) { second in try await body(first, second) }
            }
        }

        @Test func aKeyHasTheSameAnswerFromEachServer() async throws {
            try await with { first, second in
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for number in 1...12 {
                        group.addTask {
                            try await (number.isMultiple(of: 2) ? first : second).transfer("1 EUR", key: "same")
                        }
                    }
                    return try await group.reduce(into: [Answer]()) { $0.append($1) }
                }

                #expect(answers.map(\.status) == Array(repeating: 201, count: 12))
                let transactions = try answers.map { try $0.json(PostedResponse.self).transaction }
                #expect(Set(transactions).count == 1)
                #expect(try await first.balances() == ["cash -1 EUR", "food 1 EUR"])
                #expect(try await second.transfer("2 EUR", key: "same").status == 409)
            }
        }

        @Test func theStreamOfEachServerShowsThePostsOfTheOther() async throws {
            try await with { first, second in
                for (reader, writer, account) in [(first, second, "food"), (second, first, "rent")] {
                    try await reader.listen { events in
                        _ = try await events.first("state", as: StateEvent.self) { _ in true }
                        try await writer.transfer("3 EUR", to: account)
                        let change = try await events.first("balances", as: BalancesEvent.self) {
                            $0.balances.contains { $0.account == account }
                        }
                        #expect(
                            change.balances.contains { $0.account == account && $0.amounts.map(\.quantity) == ["3"] })
                    }
                }
            }
        }

        @Test func concurrentPostsToTheSameAccountsAreAllStoredOnce() async throws {
            try await with { first, second in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...40 {
                        group.addTask {
                            let server = number.isMultiple(of: 2) ? first : second
                            let answer = try await server.transfer("1 EUR", key: "k\(number)")
                            #expect(answer.status == 201)
                        }
                    }
                    try await group.waitForAll()
                }

                #expect(try await first.balances() == ["cash -40 EUR", "food 40 EUR"])
                #expect(try await second.balances() == ["cash -40 EUR", "food 40 EUR"])
            }
        }
    }
}
#endif
