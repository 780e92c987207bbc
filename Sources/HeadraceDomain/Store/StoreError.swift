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
public struct StoreError: Error, Sendable, CustomStringConvertible {
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

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

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

    private init(
        code: Code,
        message: String,
        entity: EntityReference?,
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

extension StoreError: CodedError, RetryableError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }

    /// Whether another writer was in the way: nothing was stored, and doing the work again may succeed.
    ///
    /// It holds for the codes `versionConflict`, `locked` and `keyTaken`. It also holds for `alreadyExists` and
    /// `uniqueViolation` if the unit of work has looked for the identifier or the value before and found nothing.
    public var isRetryable: Bool {
        code == .versionConflict || code == .locked || code == .keyTaken || isSinceRead
    }
}

extension StoreError {
    /// `entity` was read at version `expected`; `stored` is what there is now, `nil` where it is gone.
    public static func versionConflict(_ entity: EntityReference, expected: Int, stored: Int?) -> StoreError {
        let now = stored.map { "is now at version \($0)" } ?? "has been deleted"
        return StoreError(
            code: .versionConflict,
            message: """
                The \(entity) was read at version \(expected) and \(now). Nothing was stored. \
                To fix, do the work again on what is stored now.
                """,
            entity: entity
        )
    }

    /// `required` was read, and `stored` is what there is now, `nil` where it is gone.
    public static func versionConflict(required: StoredDocument, stored: StoredDocument?) -> StoreError {
        guard let stored, stored.version == required.version else {
            return versionConflict(required.reference, expected: required.version, stored: stored?.version)
        }
        return StoreError(
            code: .versionConflict,
            message: """
                The \(required.reference) was read at version \(required.version), and something else is stored under that \
                version now. Nothing was stored. To fix, do the work again on what is stored now.
                """,
            entity: required.reference
        )
    }

    /// `entity` was inserted, and there is one already.
    public static func alreadyExists(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .alreadyExists,
            message: """
                The \(entity) exists already. Nothing was stored. To fix, find it and change it, or insert one \
                with another identifier.
                """,
            entity: entity
        )
    }

    /// `entity` has a value in a unique index that the entity with the key `other` has.
    public static func uniqueViolation(
        _ entity: EntityReference,
        entry: ChangeSet.IndexEntry,
        takenBy other: String
    ) -> StoreError {
        StoreError(
            code: .uniqueViolation,
            message: """
                The \(entity) has \(entry.value.quoted) as its '\(entry.index)', which is unique, and \(entity.kind) '\(other)' \
                has that already. Nothing was stored. To fix, choose another value or change the other one.
                """,
            entity: entity,
            indexEntry: entry
        )
    }

    /// `entity` was inserted after this unit of work had looked for its identifier, and another writer was faster.
    static func insertedSinceRead(_ entity: EntityReference, cause: StoreError) -> StoreError {
        StoreError(
            code: .alreadyExists,
            message: """
                The \(entity) did not exist when this unit of work looked for it, and another writer has inserted it since. \
                Nothing was stored. To fix, do the work again: it is found then.
                """,
            entity: entity,
            cause: cause,
            isSinceRead: true
        )
    }

    /// `entity` has a value for which this unit of work had looked, and another writer was faster.
    static func takenSinceRead(
        _ entity: EntityReference,
        entry: ChangeSet.IndexEntry,
        cause: StoreError
    ) -> StoreError {
        StoreError(
            code: .uniqueViolation,
            message: """
                The \(entity) has \(entry.value.quoted) as its '\(entry.index)', which is unique. No \(entity.kind) had it when \
                this unit of work looked for it, and another writer has stored one since. Nothing was stored. To fix, do \
                the work again: it is found then.
                """,
            entity: entity,
            indexEntry: entry,
            cause: cause,
            isSinceRead: true
        )
    }

    /// `entity` was written, and its kind is not among those that the store was opened with.
    public static func undeclaredEntity(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .undeclaredEntity,
            message: """
                The store was not opened with entities of '\(entity.kind)'. Nothing was stored. To fix, add their \
                type to its 'entities:'.
                """,
            entity: entity
        )
    }

    /// A message was scheduled for `date`.
    static func notFinite(_ date: Date) -> StoreError {
        StoreError(
            code: .invalidDate,
            message: """
                A message can't be scheduled for a date that is \(date.timeIntervalSince1970) seconds after 1970. Nothing \
                was stored. To fix, schedule it for a finite date.
                """
        )
    }

    /// Deliveries were to be leased at `now`.
    static func unusableClock(_ now: Date) -> StoreError {
        StoreError(
            code: .invalidDate,
            message: """
                The clock says that it is \(now.timeIntervalSince1970) seconds after 1970. Nothing was leased. To fix, set \
                the clock of the machine, or the 'wallClock' of the relay.
                """
        )
    }

    /// `store` does not know `work`.
    public static func unsupportedWork(_ work: any StoreWork, by store: any EntityStore.Type) -> StoreError {
        StoreError(
            code: .unsupportedWork,
            message: """
                '\(String(naming: store))' does not know work of the type '\(String(naming: type(of: work)))'. \
                Nothing was stored. To fix, give it to the store that it was made for.
                """
        )
    }

    static func undeclared(_ kind: String, type: Any.Type) -> StoreError {
        StoreError(
            code: .undeclaredEntity,
            message: """
                The store was not opened with entities of '\(kind)'. To fix, add '\(String(naming: type)).self' \
                to its 'entities:'.
                """
        )
    }

    static func unknown(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .unknownEntity,
            message: """
                The \(entity) was deleted from a context that has not read it. Nothing was stored. To fix, find it \
                in the same unit of work first.
                """,
            entity: entity
        )
    }

    static func rolledBack(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .rolledBack,
            message: """
                The \(entity) was found before its unit of work was rolled back, and was changed since, so the change \
                would be lost. Nothing was stored. To fix, find it again in this unit of work, and change that object.
                """,
            entity: entity
        )
    }

    static func identifierChanged(_ entity: EntityReference, to key: String) -> StoreError {
        StoreError(
            code: .identifierChanged,
            message: """
                The identifier of the \(entity) has become '\(key)'. Nothing was stored. To fix, declare the \
                identifier with 'let'; to rename an entity, delete it and insert another one.
                """,
            entity: entity
        )
    }

    static func newerDocument(_ document: StoredDocument, supported: Int) -> StoreError {
        StoreError(
            code: .newerSchema,
            message: """
                The \(document.reference) was stored with schema version \(document.schemaVersion); this program \
                knows \(supported). To fix, run the version of the program that wrote it, or a later one.
                """,
            entity: document.reference
        )
    }

    /// `lease` is no longer valid.
    public static func leaseLost(_ lease: Lease) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: """
                The lease \(lease.token) of lane \(lease.lane) has ended, and what it was for is being handled elsewhere \
                or was cancelled. Nothing was stored. To fix, lease for longer, or let the handler do less at once.
                """
        )
    }

    /// A command has taken effect under `key` before.
    public static func keyTaken(_ key: String) -> StoreError {
        StoreError(
            code: .keyTaken,
            message: """
                A command has taken effect under the idempotency key '\(key)'. Nothing was stored. To fix, send the \
                command again and take the outcome that is stored, or give a new command a new key.
                """
        )
    }

    static func invalidSchema(_ what: String) -> StoreError {
        StoreError(
            code: .invalidSchema,
            message: "\(what) To fix, give each type of entity, and each index of a type, a name of its own."
        )
    }

    static func invalidMigrations(of type: any StoredEntity.Type, versions: [Int]) -> StoreError {
        StoreError(
            code: .invalidSchema,
            message: """
                The migrations of '\(String(naming: type))' start from the versions \(versions); each must start from \
                a later one than the one before, and from less than its schemaVersion \(type.schemaVersion). To fix, \
                order them, and raise the schemaVersion.
                """
        )
    }

    static func readOnly(_ entity: EntityReference?) -> StoreError {
        StoreError(
            code: .readOnly,
            message: """
                \(entity.map { "The \($0)" } ?? "Something") was changed in a context that reads one moment of the \
                store. Nothing was stored. To fix, change it in a unit of work on a context of the store itself.
                """,
            entity: entity
        )
    }

    static func foreignCursor(_ cursor: PageCursor, of kind: String) -> StoreError {
        StoreError(
            code: .foreignCursor,
            message: """
                The cursor '\(cursor)' was given by a query of other entities than '\(kind)', or with another order. To \
                fix, ask for the first page, or repeat the query that gave the cursor.
                """
        )
    }

    static func undecodable(_ document: StoredDocument, as type: Any.Type, cause: any Error) -> StoreError {
        StoreError(
            code: .undecodable,
            message: """
                The \(document.reference), stored at version \(document.version), does not decode as \
                '\(String(naming: type))': \(cause). To fix, let the type decode what was stored (make a new \
                property optional, or give 'init(from:)' a default).
                """,
            entity: document.reference,
            cause: cause
        )
    }
}

extension IndexValue {
    /// The value as messages show it.
    fileprivate var quoted: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): "'\(text)'"
        }
    }
}
