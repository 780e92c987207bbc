// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore

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
