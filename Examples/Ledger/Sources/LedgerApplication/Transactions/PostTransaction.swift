// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that posts a transaction.
///
/// The result is the identifier of the transaction.
public struct PostTransaction: CQDCommand, Codable, SerializedCommand {
    /// The identifier of the transaction.
    public typealias Output = UUID

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

/// Posts the transaction by a ``Bookkeeper``.
///
/// `UnitOfWorkMiddleware` runs each command in one unit of work. After the commit, the relay delivers the events to
/// ``KeepStatement`` and ``SendWebhook``.
///
/// The handler throws `PostingRefusal` if the draft isn't balanced, or if totals can't hold its amounts, and
/// ``AccountRefusal`` if the bookings break the rule of an account.
public final class PostTransactionHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: PostTransaction) async throws -> UUID {
        let id = command.id ?? .version7()
        var bookkeeper = Bookkeeper(in: context)
        try await bookkeeper.post(command.draft, id: id, origin: command.origin)
        try bookkeeper.finish()
        return id
    }
}
