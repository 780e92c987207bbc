// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
package import HeadraceStorage

extension StoreError {
    /// `entity` was inserted after this unit of work had looked for its identifier, and another writer was faster.
    static func insertedSinceRead(_ entity: EntityReference, cause: StoreError) -> StoreError {
        StoreError(
            code: .alreadyExists,
            message: """
                The \(entity) did not exist when this unit of work looked for it, and another writer has inserted it \
                since. Nothing was stored. To fix, repeat the work: it then finds the entity.
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
                The \(entity) has the value \(entry.value.quoted) in the unique index '\(entry.index)'. No \
                \(entity.kind) had this value when this unit of work looked for it, and another writer has stored an \
                entity with it since. Nothing was stored. To fix, repeat the work: it then finds that entity.
                """,
            entity: entity,
            indexEntry: entry,
            cause: cause,
            isSinceRead: true
        )
    }

    /// A message was scheduled for `date`.
    package static func notFinite(_ date: Date) -> StoreError {
        StoreError(
            code: .invalidDate,
            message: """
                A message can't be scheduled for a date that is \(date.timeIntervalSince1970) seconds after 1970. \
                Nothing was stored. To fix, schedule it for a finite date.
                """
        )
    }

    static func undeclared(_ kind: String, type: Any.Type) -> StoreError {
        StoreError(
            code: .undeclaredEntity,
            message: """
                The store was not opened with entities of '\(kind)'. To fix, add '\(String(naming: type)).self' \
                to the 'entities:' of the store.
                """
        )
    }

    /// Entities of `type` can't be read within a transaction of the program.
    static func unreadableInTransaction(_ type: Any.Type) -> StoreError {
        StoreError(
            code: .unsupportedWork,
            message: """
                Entities of type '\(String(naming: type))' can't be read in a transaction of the program, because they are \
                event-sourced or the store is of another kind. To fix, read and change them in a 'UnitOfWork'.
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

    static func rolledBackDuringRead(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .rolledBack,
            message: """
                The unit of work was rolled back while it read the \(entity). To fix, find the entity again in the next \
                unit of work.
                """,
            entity: entity
        )
    }

    static func identifierChanged(_ entity: EntityReference, to key: String) -> StoreError {
        StoreError(
            code: .identifierChanged,
            message: """
                The identifier of the \(entity) has become '\(key)'. Nothing was stored. To fix, declare the \
                identifier with 'let'; to rename an entity, delete it and insert a new entity.
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

    static func invalidMigrations(of type: any StoredEntity.Type, versions: [Int]) -> StoreError {
        StoreError(
            code: .invalidSchema,
            message: """
                The migrations of '\(String(naming: type))' start from the versions \(versions); the versions must \
                increase and be less than its schemaVersion \(type.schemaVersion). To fix, order the migrations, and \
                raise the schemaVersion.
                """
        )
    }

    static func readOnly(_ entity: EntityReference?) -> StoreError {
        StoreError(
            code: .readOnly,
            message: """
                \(entity.map { "The \($0)" } ?? "Something") was changed in a read-only context on a snapshot \
                of the store. Nothing was stored. To fix, change it in a unit of work on a context of the store itself.
                """,
            entity: entity
        )
    }

    static func lockedInReadOnlyContext(_ entity: EntityReference) -> StoreError {
        StoreError(
            code: .readOnly,
            message: """
                The \(entity) was locked in a context that only reads. Nothing was read. To fix, find it without a lock, or in \
                a unit of work on a context of the store itself.
                """,
            entity: entity
        )
    }

    static func foreignCursor(_ cursor: PageCursor, of kind: String) -> StoreError {
        StoreError(
            code: .foreignCursor,
            message: """
                The cursor '\(cursor)' belongs to a query of other entities than '\(kind)', or to a query with another \
                order. To fix, request the first page, or repeat the query that returned the cursor.
                """
        )
    }

    static func undecodable(_ document: StoredDocument, as type: Any.Type, cause: any Error) -> StoreError {
        StoreError(
            code: .undecodable,
            message: """
                The \(document.reference), stored at version \(document.version), does not decode as \
                '\(String(naming: type))': \(cause). To fix, make the type decode the stored JSON (make a new \
                property optional, or use a default in 'init(from:)').
                """,
            entity: document.reference,
            cause: cause
        )
    }
}
