// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// The record of a posted transaction with balance assignments.
///
/// The amounts of such a transaction change if its journal gets transactions of earlier dates, and so does its origin.
/// By this record, an import finds the posted transaction nevertheless.
public final class AssignedTransaction: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "assigned-transaction"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The transaction as written; see ``JournalOrigin/assignment``.
    public let id: Fingerprint

    /// The origin from which the transaction was posted.
    public private(set) var origin: Fingerprint

    /// Creates the record of a transaction that was posted from `origin`.
    init(_ assignment: Fingerprint, origin: Fingerprint) {
        id = assignment
        self.origin = origin
    }

    /// Records that the transaction is now the one that was posted from `origin`.
    ///
    /// That happens if an equal transaction before it no longer has a balance assignment.
    func move(to origin: Fingerprint) {
        self.origin = origin
    }
}
