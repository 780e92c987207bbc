//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import LedgerServer

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct WebhookTests {
        @Test func eachTransactionIsSentUnderOneKeyUntilItIsAccepted() async throws {
            let receiver = Receiver()
            let folder = try TestFolder()
            try await receiver.serving { url in
                try await TestServer.with(in: folder) {
                    $0.webhook = url
                } _: { server in
                    var transactions: Set<String> = []
                    for _ in 1...5 {
                        transactions.insert(
                            try await server.transfer("1 EUR").json(PostedResponse.self).transaction.uuidString)
                    }
                    await server.deliveries.waits(for: 5, to: "webhook")

                    let requests = receiver.all
                    let keys = Dictionary(grouping: requests, by: \.key)
                    #expect(keys.count == 5)
                    #expect(keys.values.allSatisfy { $0.count == 2 && Set($0.map(\.body)).count == 1 })
                    let told = requests.compactMap { request in transactions.first { request.body.contains($0) } }
                    #expect(Set(told) == transactions)
                    #expect(server.deliveries.failureCount == 5)
                }
            }
        }
    }
}
