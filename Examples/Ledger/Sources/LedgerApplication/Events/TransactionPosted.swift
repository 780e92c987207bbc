//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// A transaction was posted.
public struct TransactionPosted: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "transaction-posted"

    /// The transaction.
    public let transaction: UUID

    /// Its day.
    public let date: BookDate

    /// Its lines.
    public let postings: [Posting]
}
