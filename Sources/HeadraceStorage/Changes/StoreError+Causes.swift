//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
                To fix, do the work again on what is stored now.
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
                The \(required.reference) was read at version \(required.version), and something else is stored under that \
                version now. Nothing was stored. To fix, do the work again on what is stored now.
                """,
            entity: required.reference
        )
    }

    /// `entity` was inserted, but its identifier is taken.
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

    /// `entity` has a value in a unique index that belongs to the entity with the key `other`.
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

    /// `entity` was written, but the store was opened without its kind.
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

    /// A relay has asked for leases at `now`, which can't be a correct time.
    package static func unusableClock(_ now: Date) -> StoreError {
        StoreError(
            code: .invalidDate,
            message: """
                The clock says that it is \(now.timeIntervalSince1970) seconds after 1970. Nothing was leased. To fix, set \
                the clock of the machine, or the 'wallClock' of the relay.
                """
        )
    }

    /// `store` doesn't support `work`.
    public static func unsupportedWork(_ work: any StoreWork, by store: Any.Type) -> StoreError {
        StoreError(
            code: .unsupportedWork,
            message: """
                '\(String(naming: store))' does not know work of the type '\(String(naming: type(of: work)))'. \
                Nothing was stored. To fix, give it to the store that it was made for.
                """
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

    /// A command has already taken effect under `key`.
    public static func keyTaken(_ key: String) -> StoreError {
        StoreError(
            code: .keyTaken,
            message: """
                A command has taken effect under the idempotency key '\(key)'. Nothing was stored. To fix, send the \
                command again and take the outcome that is stored, or give a new command a new key.
                """
        )
    }

    package static func invalidSchema(_ what: String) -> StoreError {
        StoreError(
            code: .invalidSchema,
            message: "\(what) To fix, give each type of entity, and each index of a type, a name of its own."
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
