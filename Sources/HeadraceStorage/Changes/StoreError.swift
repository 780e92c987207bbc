// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore

/// An error of a store: a request can't be fulfilled, or the store can't be used.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct StoreError: CodedError {
    /// The kind of error, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case versionConflict, alreadyExists, uniqueViolation, undeclaredEntity, unknownEntity, identifierChanged
            case unknownIndex
            case rolledBack
            case invalidSchema, invalidDate, leaseLost, keyTaken, unsupportedWork, readOnly, foreignCursor
            case undecodable, newerSchema, schemaChanged, unusable, corrupt, full, locked, inUse, closed, fileRemoved
            case unreachable, outcomeUnknown, tooLong
        }

        private let kind: Kind

        /// Another writer has changed or deleted the entity since it was read.
        ///
        /// A retry may succeed.
        public static let versionConflict = Code(kind: .versionConflict)

        /// An entity was inserted whose identifier is taken.
        ///
        /// A retry may succeed if the unit of work has looked for the identifier and found nothing; see
        /// ``StoreError/isRetryable``.
        public static let alreadyExists = Code(kind: .alreadyExists)

        /// Two entities would have the same value in a unique index.
        ///
        /// A retry may succeed if the unit of work has looked for the value and found nothing; see
        /// ``StoreError/isRetryable``.
        public static let uniqueViolation = Code(kind: .uniqueViolation)

        /// The store was opened without the type of the entity.
        public static let undeclaredEntity = Code(kind: .undeclaredEntity)

        /// A query uses an index that the type of the entity doesn't declare.
        public static let unknownIndex = Code(kind: .unknownIndex)

        /// An entity was deleted that the context has not found, fetched, or inserted.
        public static let unknownEntity = Code(kind: .unknownEntity)

        /// The identifier of an entity differs from the identifier under which it was read or inserted.
        public static let identifierChanged = Code(kind: .identifierChanged)

        /// An entity was changed that the context found before a roll-back and no longer tracks.
        public static let rolledBack = Code(kind: .rolledBack)

        /// The declared types of entity contradict one another.
        public static let invalidSchema = Code(kind: .invalidSchema)

        /// A date is not a finite number, or the clock shows a time before 1970.
        public static let invalidDate = Code(kind: .invalidDate)

        /// The lease of the delivery has ended, and another relay may hold a new lease.
        public static let leaseLost = Code(kind: .leaseLost)

        /// Another command has taken effect under the same idempotency key.
        ///
        /// A retry returns the outcome of the first command.
        public static let keyTaken = Code(kind: .keyTaken)

        /// The store doesn't support the requested work, or can't execute it within a transaction.
        public static let unsupportedWork = Code(kind: .unsupportedWork)

        /// A read-only context was asked to commit changes.
        public static let readOnly = Code(kind: .readOnly)

        /// A page cursor belongs to another query, or its text is not a cursor.
        public static let foreignCursor = Code(kind: .foreignCursor)

        /// A stored document can't be decoded as its type.
        public static let undecodable = Code(kind: .undecodable)

        /// The store was written by a later version of the program or of Headrace.
        public static let newerSchema = Code(kind: .newerSchema)

        /// Another version of the program has changed the indexes or a schema version of the store while it was open.
        ///
        /// All reads and commits fail until the program is restarted in the version that was started last.
        public static let schemaChanged = Code(kind: .schemaChanged)

        /// The store can't be opened, read, or written at its location.
        public static let unusable = Code(kind: .unusable)

        /// The store is closed.
        public static let closed = Code(kind: .closed)

        /// The file is damaged, or not a database.
        public static let corrupt = Code(kind: .corrupt)

        /// There is no space left.
        public static let full = Code(kind: .full)

        /// Another process has locked the database, or another unit of work has locked the entity.
        public static let locked = Code(kind: .locked)

        /// Other programs have the store open, and opening would lock them out.
        public static let inUse = Code(kind: .inUse)

        /// The file of the store was removed or replaced while it was open, so a commit would be lost.
        public static let fileRemoved = Code(kind: .fileRemoved)

        /// The server of the store can't be reached, so nothing was sent to it.
        ///
        /// A retry may succeed.
        public static let unreachable = Code(kind: .unreachable)

        /// The connection ended during a commit, and the store couldn't learn in time whether the commit took effect.
        ///
        /// A retry can store the changes twice, unless the message has an idempotency key.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)

        /// A key, a name, or an indexed value is longer than the store supports.
        public static let tooLong = Code(kind: .tooLong)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, with the name of the file if the store has one.
    public let message: String

    /// The entity concerned, if one is.
    public let entity: EntityReference?

    /// The value in a unique index that belongs to another entity, if the error is about such a value.
    public let indexEntry: ChangeSet.IndexEntry?

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Whether another writer has inserted the entity, or taken the value, since this unit of work looked for it, or waits for a
    /// lock of this unit of work.
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
    /// Whether another writer caused the error: nothing was stored, and a retry may succeed.
    ///
    /// This is `true` for the codes `versionConflict`, `locked`, `keyTaken`, and `unreachable`. It is also `true` for
    /// `alreadyExists` and `uniqueViolation` if the unit of work has looked for the identifier or the value before and
    /// found nothing.
    public var isRetryable: Bool {
        [.versionConflict, .locked, .keyTaken, .unreachable].contains(code) || isSinceRead
    }

    /// Whether another writer was faster; see ``isRetryable``.
    ///
    /// It is `false` for the code `unreachable`, and for `locked` if the store has waited for the lock already. It is `true` for
    /// `locked` if two units of work would wait for each other.
    public var isConflict: Bool {
        [.versionConflict, .keyTaken].contains(code) || isSinceRead
    }

    /// Whether each later operation of the same store object fails, too, so that a relay ends instead of trying again.
    package var isFinal: Bool {
        [.closed, .schemaChanged, .newerSchema].contains(code)
    }
}
