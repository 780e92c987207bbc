// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore

/// An error of a store: a request can't be fulfilled, or the store can't be used.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct StoreError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<StoreError>

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

extension ErrorCode<StoreError> {
    /// Another writer has changed or deleted the entity since it was read.
    ///
    /// A retry may succeed.
    public static var versionConflict: Self { Self() }

    /// An entity was inserted whose identifier is taken.
    ///
    /// A retry may succeed if the unit of work has looked for the identifier and found nothing; see
    /// ``HeadraceStorage/StoreError/isRetryable``.
    public static var alreadyExists: Self { Self() }

    /// Two entities would have the same value in a unique index.
    ///
    /// A retry may succeed if the unit of work has looked for the value and found nothing; see
    /// ``HeadraceStorage/StoreError/isRetryable``.
    public static var uniqueViolation: Self { Self() }

    /// The store was opened without the type of the entity.
    public static var undeclaredEntity: Self { Self() }

    /// A query uses an index that the type of the entity doesn't declare.
    public static var unknownIndex: Self { Self() }

    /// An entity was deleted that the context has not found, fetched, or inserted.
    public static var unknownEntity: Self { Self() }

    /// The identifier of an entity differs from the identifier under which it was read or inserted.
    public static var identifierChanged: Self { Self() }

    /// An entity was changed that the context found before a roll-back and no longer tracks.
    public static var rolledBack: Self { Self() }

    /// The declared types of entity contradict one another.
    public static var invalidSchema: Self { Self() }

    /// A date is not a finite number, or the clock shows a time before 1970.
    public static var invalidDate: Self { Self() }

    /// The lease of the delivery has ended, and another relay may hold a new lease.
    public static var leaseLost: Self { Self() }

    /// Another command has taken effect under the same idempotency key.
    ///
    /// A retry returns the outcome of the first command.
    public static var keyTaken: Self { Self() }

    /// The store doesn't support the requested work, or can't execute it within a transaction.
    public static var unsupportedWork: Self { Self() }

    /// A read-only context was asked to commit changes.
    public static var readOnly: Self { Self() }

    /// A page cursor belongs to another query, or its text is not a cursor.
    public static var foreignCursor: Self { Self() }

    /// A stored document can't be decoded as its type.
    public static var undecodable: Self { Self() }

    /// The store was written by a later version of the program or of Headrace.
    public static var newerSchema: Self { Self() }

    /// Another version of the program has changed the indexes or a schema version of the store while it was open.
    ///
    /// All reads and commits fail until the program is restarted in the version that was started last.
    public static var schemaChanged: Self { Self() }

    /// The store can't be opened, read, or written at its location.
    public static var unusable: Self { Self() }

    /// The store is closed.
    public static var closed: Self { Self() }

    /// The file is damaged, or not a database.
    public static var corrupt: Self { Self() }

    /// There is no space left.
    public static var full: Self { Self() }

    /// Another process has locked the database, or another unit of work has locked the entity.
    public static var locked: Self { Self() }

    /// Other programs have the store open, and opening would lock them out.
    public static var inUse: Self { Self() }

    /// The file of the store was removed or replaced while it was open, so a commit would be lost.
    public static var fileRemoved: Self { Self() }

    /// The server of the store can't be reached, so nothing was sent to it.
    ///
    /// A retry may succeed.
    public static var unreachable: Self { Self() }

    /// The connection ended during a commit, and the store couldn't learn in time whether the commit took effect.
    ///
    /// A retry can store the changes twice, unless the message has an idempotency key.
    public static var outcomeUnknown: Self { Self() }

    /// A key, a name, or an indexed value is longer than the store supports.
    public static var tooLong: Self { Self() }
}
