//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that posts a transaction.
public struct PostTransaction: CQDCommand, Codable, SerializedCommand {
    /// The transaction to post.
    public let draft: TransactionDraft

    /// The identifier of the transaction; `nil` for a new identifier.
    public let id: UUID?

    /// The origin of the transaction, from which it is posted at most once; `nil` for none.
    public let origin: Fingerprint?

    /// The keys of the accounts of the postings.
    public var lockKeys: Set<String> { Account.lockKeys(of: draft) }

    /// Creates the command.
    public init(_ draft: TransactionDraft, id: UUID? = nil, origin: Fingerprint? = nil) {
        self.draft = draft
        self.id = id
        self.origin = origin
    }
}

/// Stores the transaction and books its postings to their accounts.
///
/// `UnitOfWorkMiddleware` runs each command in one unit of work. If the handler of another command dispatches this
/// command, as an import does, it joins that unit of work. Before the commit, ``FinishBooking`` checks the rules of the
/// accounts. After it, the relay delivers the events to ``KeepStatement`` and ``SendWebhook``.
///
/// The handler throws `PostingRefusal` if the draft isn't balanced, or if totals can't hold its amounts.
public final class PostTransactionHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: PostTransaction) async throws {
        let id = command.id ?? .version7()
        let transaction = try Transaction(posting: command.draft, id: id, origin: command.origin)
        context.insert(transaction)
        let known = try await context.find(Account.self, ids: transaction.postings.map(\.account))
        var accounts = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
        for (index, posting) in transaction.postings.enumerated() {
            let account = accounts[posting.account] ?? Account(opening: posting.account)
            if accounts.updateValue(account, forKey: posting.account) == nil { context.insert(account) }
            if let digits = try account.book(posting.amount, on: transaction.date) {
                try await CommodityRange.widen(to: digits, for: posting, in: context)
            }
            if index == 0 { account.countTransaction() }
        }
    }
}
