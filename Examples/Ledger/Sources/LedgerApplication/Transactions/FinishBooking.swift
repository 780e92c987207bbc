//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks

/// Checks the rules of the accounts of a transaction, and has each account raise one `AccountMoved`, before the commit.
///
/// A unit of work can post many transactions. Its events are handled after all of them are booked, so a rule may be
/// broken between two postings, and the first event of an account covers all of its bookings.
public struct FinishBooking: HandlesDomainEvent, Resolvable {
    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the event.
    ///
    /// Throws ``AccountRefusal`` if the bookings break a rule.
    public func handle(_ event: TransactionPosted) async throws {
        for account in try await context.find(Account.self, ids: event.postings.map(\.account)) {
            try account.finishBooking()
        }
    }
}
