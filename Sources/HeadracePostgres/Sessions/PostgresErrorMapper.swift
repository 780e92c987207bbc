// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

/// Converts failures of PostgreSQL to ``HeadraceStorage/StoreError``, with the cause and the remedy.
struct PostgresErrorMapper {
    /// The schema, for messages: a URL can contain a password.
    let schema: String

    /// What an interrupted operation may have done.
    enum PossibleEffect {
        /// The operation only reads, or it can be repeated.
        case none
        case unknown
    }

    /// Runs `operation` and converts its failures; other errors are rethrown unchanged.
    nonisolated(nonsending) func translating<Value>(
        _ effect: PossibleEffect = .none,
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await operation()
        } catch let failure as PostgresFailure {
            throw storeError(failure, effect)
        }
    }

    func storeError(_ failure: PostgresFailure, _ effect: PossibleEffect = .none) -> StoreError {
        switch failure {
        case .unreachable(let what):
            unreachable(what, failure)
        case .lost(let what):
            effect == .none ? unreachable(what, failure) : outcomeUnknown(what, cause: failure)
        case .closed:
            StoreError(
                code: .closed,
                message: """
                    \(store) is closed. Nothing was read or stored. To fix, close it after its last use, or open \
                    another store.
                    """
            )
        case .refused(let state, let message, _):
            refused(state, message, failure)
        }
    }

    func outcomeUnknown(_ what: String, cause: (any Error)?) -> StoreError {
        StoreError(
            code: .outcomeUnknown,
            message: """
                \(store) lost its server during a change, which may or may not be stored (\(what)). To fix, look for \
                the change when the server is back, or use commands with idempotency keys.
                """,
            cause: cause
        )
    }

    func newerSchema(_ what: String) -> StoreError {
        StoreError(
            code: .newerSchema,
            message: """
                \(store) was written by a later version: \(what). Nothing in it was changed. To fix, run the version of \
                the program that wrote it, or a later one.
                """
        )
    }

    func schemaChanged(_ kind: String) -> StoreError {
        StoreError(
            code: .schemaChanged,
            message: """
                \(store) was changed by another version of the program while it was open: the indexes or the schema \
                version of '\(kind)' are different. Nothing was read or stored. To fix, start the version of this \
                program that changed it.
                """
        )
    }

    func unusable(_ what: String, remedy: String, cause: (any Error)? = nil) -> StoreError {
        StoreError(
            code: .unusable,
            message: "\(store) can't be used: \(what). To fix, \(remedy).",
            cause: cause
        )
    }

    /// The store, at the beginning of a sentence.
    var store: String { "The PostgreSQL store in schema '\(schema)'" }

    private func unreachable(_ what: String, _ cause: PostgresFailure) -> StoreError {
        StoreError(
            code: .unreachable,
            message: """
                \(store) can't reach its server (\(what)). Nothing was stored. To fix, check the server, the network, \
                and the URL, then try again.
                """,
            cause: cause
        )
    }

    private func refused(_ state: String, _ message: String, _ cause: PostgresFailure) -> StoreError {
        let reason = "\(message) (SQLSTATE \(state))"
        return switch state {
        case "40001", "40P01", "55P03", "57014":
            StoreError(
                code: .locked,
                message: """
                    \(store) is locked by another session: \(reason). Nothing of the change was stored. To fix, let \
                    the other session finish or end it, then try again.
                    """,
                cause: cause
            )
        case "53100":
            StoreError(
                code: .full,
                message: """
                    The server of \(store.prefix(1).lowercased() + store.dropFirst()) has no space left: \(reason). \
                    Nothing of the change was stored. To fix, free space on its disk, then try again.
                    """,
                cause: cause
            )
        case "XX001", "XX002":
            StoreError(
                code: .corrupt,
                message: "\(store) is damaged: \(reason). To fix, restore the database from a backup.",
                cause: cause
            )
        case _ where state.hasPrefix("57P") || state.hasPrefix("53"):
            unreachable(reason, cause)
        case "25006":
            unusable(reason, remedy: "connect to the primary server: add target_session_attrs=read-write", cause: cause)
        case "42501":
            unusable(reason, remedy: "give this user the right to create and use the schema", cause: cause)
        default:
            unusable(reason, remedy: "check the URL, the database, and the server's log", cause: cause)
        }
    }
}
#endif
