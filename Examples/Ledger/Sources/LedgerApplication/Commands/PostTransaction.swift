//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// Asks for a transaction to be posted.
public struct PostTransaction: CQDCommand, Codable, TakesTurns {
    /// What is to be posted.
    public let draft: TransactionDraft

    /// The identifier that the transaction is to have, or `nil` for a new one.
    public let id: UUID?

    /// Where it comes from, if it must not be posted from there twice.
    public let origin: Fingerprint?

    /// The accounts of the postings.
    public var turns: Set<String> { Account.turns(of: draft) }

    /// Creates the command.
    public init(_ draft: TransactionDraft, id: UUID? = nil, origin: Fingerprint? = nil) {
        self.draft = draft
        self.id = id
        self.origin = origin
    }
}

/// Posts a transaction, in a unit of work of its own or in the one that runs.
///
/// It throws the domain's refusals as they are: `PostingRefusal`, ``AccountRefusal``.
public final class PostTransactionHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(UnitOfWork<EntityContext>.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    /// Posts the transaction; see the command.
    public func handle(_ command: PostTransaction) async throws {
        try await unitOfWork.execute { context in
            context.insert(
                try Transaction(posting: command.draft, id: command.id ?? .version7(), origin: command.origin)
            )
        }
    }
}
