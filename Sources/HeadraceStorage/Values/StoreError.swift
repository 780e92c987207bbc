// SPDX-License-Identifier: Apache-2.0

package import Foundation
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

extension StoreError {
    /// `entity` was read at version `expected`; `stored` is the current version, or `nil` if the entity was deleted.
    public static func versionConflict(_ entity: EntityReference, expected: Int, stored: Int?) -> StoreError {
        let now = stored.map { "is now at version \($0)" } ?? "has been deleted"
        return StoreError(
            code: .versionConflict,
            message: """
                The \(entity) was read at version \(expected) and \(now). Nothing was stored. \
                To fix, repeat the work with the stored state.
                """,
            entity: entity
        )
    }

    /// `required` was read; `stored` is the current document, or `nil` if the entity was deleted.
    public static func versionConflict(required: StoredDocument, stored: StoredDocument?) -> StoreError {
        guard let stored, stored.version == required.version else {
            return versionConflict(required.reference, expected: required.version, stored: stored?.version)
        }
        return StoreError(
            code: .versionConflict,
            message: """
                The \(required.reference) was read at version \(required.version), and now has other content at that \
                version. Nothing was stored. To fix, repeat the work with the stored state.
                """,
            entity: required.reference
        )
    }

    /// `store` is open in the processes `others`, which the change `change` would lock out.
    package static func inUse(_ store: String, by others: [String], change: String) -> StoreError {
        StoreError(
            code: .inUse,
            message: """
                \(store) is open in \(others.joined(separator: ", ")). Opening would lock out other versions of the program, \
                because \(change). Nothing was changed. To fix, stop these processes first, let this program wait for them \
                by 'replacementTimeout', or lock them out by 'replacementTimeout = nil'.
                """
        )
    }

    /// `entity` was inserted, but its identifier is taken.
    public static func alreadyExists(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .alreadyExists,
            message: """
                The \(entity) exists already. Nothing was stored. To fix, find and change it, or insert an \
                entity with another identifier.
                """,
            entity: entity
        )
    }

    /// `entity` has a value in a unique index that belongs to the entity with the key `other`.
    public static func uniqueViolation(
        _ entity: EntityReference,
        entry: ChangeSet.IndexEntry,
        takenBy other: String
    ) -> StoreError {
        StoreError(
            code: .uniqueViolation,
            message: """
                The \(entity) has the value \(entry.value.quoted) in the unique index '\(entry.index)', but this value \
                belongs to the \(entity.kind) '\(other)'. Nothing was stored. To fix, choose another value, or change \
                the other entity.
                """,
            entity: entity,
            indexEntry: entry
        )
    }

    /// `entity` was written, but the store was opened without its kind.
    public static func undeclaredEntity(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .undeclaredEntity,
            message: """
                The store was not opened with entities of '\(entity.kind)'. Nothing was stored. To fix, add their \
                type to the 'entities:' of the store.
                """,
            entity: entity
        )
    }

    /// The unit of work waited for `entity`, while another unit of work waited for it.
    package static func deadlock(_ entity: EntityReference, cause: (any Error)? = nil) -> StoreError {
        StoreError(
            code: .locked,
            message: """
                The \(entity) can't be locked: the unit of work that has locked it waits for this unit of work, or encloses it. \
                Nothing was stored. To fix, repeat the work, and lock several entities in the order of their keys, the entities \
                of an enclosing unit of work first.
                """,
            entity: entity,
            cause: cause,
            isSinceRead: true
        )
    }

    /// Another process has locked `entity` for longer than the store waits.
    package static func lockedByOther(_ entity: EntityReference, cause: any Error) -> StoreError {
        StoreError(
            code: .locked,
            message: """
                The \(entity) can't be locked: a unit of work of another process has locked it for a long time. Nothing was \
                stored. To fix, keep units of work with locks short, then try again.
                """,
            entity: entity,
            cause: cause
        )
    }

    /// A relay has asked for leases at `now`, which can't be a correct time.
    package static func unusableClock(_ now: Date) -> StoreError {
        StoreError(
            code: .invalidDate,
            message: """
                The clock shows a time \(now.timeIntervalSince1970) seconds after 1970. Nothing was leased. To fix, \
                set the clock of the machine, or the 'wallClock' of the relay.
                """
        )
    }

    /// `store` doesn't support `work`.
    public static func unsupportedWork(_ work: any StoreWork, by store: Any.Type) -> StoreError {
        StoreError(
            code: .unsupportedWork,
            message: """
                '\(String(naming: store))' does not support work of the type '\(String(naming: type(of: work)))'. \
                Nothing was stored. To fix, use the store that supports this work.
                """
        )
    }

    /// `lease` is no longer valid.
    public static func leaseLost(_ lease: Lease) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: """
                The lease \(lease.token) of lane \(lease.lane) has ended: another relay handles its delivery, or the \
                delivery was cancelled. Nothing was stored. To fix, raise the lease duration, or make the handler \
                faster.
                """
        )
    }

    /// A command has already taken effect under `key`.
    public static func keyTaken(_ key: String) -> StoreError {
        StoreError(
            code: .keyTaken,
            message: """
                A command has taken effect under the idempotency key '\(key)'. Nothing was stored. To fix, send the \
                command again to receive the stored outcome, or use a new key for a new command.
                """
        )
    }

    package static func invalidSchema(_ what: String) -> StoreError {
        StoreError(
            code: .invalidSchema,
            message: "\(what) To fix, give each type of entity, and each index of a type, a unique name."
        )
    }
}

extension IndexValue {
    /// The value in the form in which messages show it.
    package var quoted: String {
        switch self {
        case .integer(let number): "\(number)"
        case .text(let text): "'\(text)'"
        }
    }
}
