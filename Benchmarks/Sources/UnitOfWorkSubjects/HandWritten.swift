// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring

/// A hand-written unit of work: documents in a dictionary, and two handlers that are called directly.
public final class HandWritten {
    private struct Account: Codable {
        let id: Int
        var balance = 0
    }

    private var documents: [Int: Data] = [:]

    /// Creates a dictionary with one account.
    public init() {
        documents[1] = try? JSONEncoder().encode(Account(id: 1))
    }

    /// Reads the account, adds to it, and writes it back, between the two handlers.
    public nonisolated(nonsending) func deposit(_ amount: Int) async throws {
        guard let json = documents[1] else { return }
        var account = try JSONDecoder().decode(Account.self, from: json)
        account.balance += amount
        try await check(amount)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        documents[1] = try encoder.encode(account)
        try await note(account.id)
    }

    /// Runs `body`, and commits or rolls back `context`.
    @inline(never)
    public static nonisolated(nonsending) func execute(
        _ context: Nothing,
        _ body: nonisolated(nonsending) (Nothing) async throws -> Void
    ) async throws {
        do {
            try await body(context)
            try Task.checkCancellation()
            try await context.commit(context.takeEvents())
        } catch {
            context.rollback()
            throw error
        }
    }

    @inline(never)
    private nonisolated(nonsending) func check(_ amount: Int) async throws { consume(amount) }

    @inline(never)
    private nonisolated(nonsending) func note(_ account: Int) async throws { consume(account) }
}
