//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// Asks for a transaction to be posted.
public struct PostTransaction: CQDCommand {
    /// What is to be posted.
    public let draft: TransactionDraft

    /// Where it comes from, if it must not be posted from there twice.
    public let origin: Fingerprint?

    /// Creates the command.
    public init(_ draft: TransactionDraft, origin: Fingerprint? = nil) {
        self.draft = draft
        self.origin = origin
    }
}

/// Posts a transaction, in a unit of work of its own or in the one that runs.
///
/// It throws the domain's refusal as it is: `PostingRefusal`.
public final class PostTransactionHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    /// Posts the transaction; see the command.
    public func handle(_ command: PostTransaction) async throws {
        try await unitOfWork.execute { context in
            context.insert(try Transaction(posting: command.draft, origin: command.origin))
        }
    }
}
