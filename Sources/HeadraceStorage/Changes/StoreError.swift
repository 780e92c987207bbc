//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import HeadraceCore

/// An error of a store: what it was asked is not possible, or it cannot be used.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct StoreError: CodedError {
    /// What went wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case versionConflict, alreadyExists, uniqueViolation, undeclaredEntity, unknownEntity, identifierChanged
            case rolledBack
            case invalidSchema, invalidDate, leaseLost, keyTaken, unsupportedWork, readOnly, foreignCursor
            case undecodable, newerSchema, schemaChanged, unusable, corrupt, full, locked, closed, fileRemoved
        }

        private let kind: Kind

        /// Another writer has changed or deleted the entity since it was read.
        ///
        /// Doing the work again may succeed.
        public static let versionConflict = Code(kind: .versionConflict)

        /// An entity was inserted whose identifier is taken.
        ///
        /// Doing the work again may succeed if the unit of work has looked for the identifier and found nothing:
        /// ``StoreError/isRetryable`` tells.
        public static let alreadyExists = Code(kind: .alreadyExists)

        /// Two entities would have the same value in a unique index.
        ///
        /// Doing the work again may succeed if the unit of work has looked for the value and found nothing:
        /// ``StoreError/isRetryable`` tells.
        public static let uniqueViolation = Code(kind: .uniqueViolation)

        /// The type of an entity is not among those that the store was opened with.
        public static let undeclaredEntity = Code(kind: .undeclaredEntity)

        /// An entity was deleted that the context has not found, fetched or inserted.
        public static let unknownEntity = Code(kind: .unknownEntity)

        /// The identifier of an entity is not the one under which it was read or inserted.
        public static let identifierChanged = Code(kind: .identifierChanged)

        /// An entity was changed that the context has found before a roll-back, and no longer tracks.
        public static let rolledBack = Code(kind: .rolledBack)

        /// The types of entity that the store was opened with contradict one another.
        public static let invalidSchema = Code(kind: .invalidSchema)

        /// A date is not a finite number, or the clock is before 1970.
        public static let invalidDate = Code(kind: .invalidDate)

        /// The delivery that was handled is another's by now: the lease has ended, and somebody else was given it.
        public static let leaseLost = Code(kind: .leaseLost)

        /// Another command has taken effect under the same idempotency key.
        ///
        /// Doing the work again gives its outcome.
        public static let keyTaken = Code(kind: .keyTaken)

        /// The store was given work that it does not know, or that it cannot do within a transaction.
        public static let unsupportedWork = Code(kind: .unsupportedWork)

        /// A context that only reads was to commit something.
        public static let readOnly = Code(kind: .readOnly)

        /// A page was asked for by the cursor of another query, or by text that is no cursor.
        public static let foreignCursor = Code(kind: .foreignCursor)

        /// A stored document is not what its type decodes.
        public static let undecodable = Code(kind: .undecodable)

        /// The store was written by a later version of the program or of Headrace.
        public static let newerSchema = Code(kind: .newerSchema)

        /// Another version of the program has changed the store while it was open: its indexes, or the schema version of an
        /// entity.
        ///
        /// Nothing can be read or stored until the program is restarted, in the version that was started last.
        public static let schemaChanged = Code(kind: .schemaChanged)

        /// The store cannot be opened, read or written where it is.
        public static let unusable = Code(kind: .unusable)

        /// The store was closed before.
        public static let closed = Code(kind: .closed)

        /// The file is damaged, or not a database.
        public static let corrupt = Code(kind: .corrupt)

        /// There is no space left.
        public static let full = Code(kind: .full)

        /// Another process keeps the database from being used.
        public static let locked = Code(kind: .locked)

        /// The file of the store was removed or replaced while it was open, so a commit would be lost.
        public static let fileRemoved = Code(kind: .fileRemoved)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// What happened and how to fix it; names the file where there is one.
    public let message: String

    /// The entity concerned, if one is.
    public let entity: EntityReference?

    /// The value in a unique index that another entity has, if the error is about one.
    public let indexEntry: ChangeSet.IndexEntry?

    /// The error beneath, if there is one.
    public let cause: (any Error)?

    /// Whether another writer has inserted the entity, or taken the value, since this unit of work has looked for it.
    private let isSinceRead: Bool

    /// Creates an error, for stores.
    public init(
        code: Code,
        message: String,
        entity: EntityReference? = nil,
        indexEntry: ChangeSet.IndexEntry? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(
            code: code, message: message, entity: entity, indexEntry: indexEntry, cause: cause, isSinceRead: false)
    }

    package init(
        code: Code,
        message: String,
        entity: EntityReference? = nil,
        indexEntry: ChangeSet.IndexEntry? = nil,
        cause: (any Error)?,
        isSinceRead: Bool
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.indexEntry = indexEntry
        self.cause = cause
        self.isSinceRead = isSinceRead
    }
}

extension StoreError: RetryableError {
    /// Whether another writer was in the way: nothing was stored, and doing the work again may succeed.
    ///
    /// It holds for the codes `versionConflict`, `locked` and `keyTaken`. It also holds for `alreadyExists` and
    /// `uniqueViolation` if the unit of work has looked for the identifier or the value before and found nothing.
    public var isRetryable: Bool {
        code == .versionConflict || code == .locked || code == .keyTaken || isSinceRead
    }
}
