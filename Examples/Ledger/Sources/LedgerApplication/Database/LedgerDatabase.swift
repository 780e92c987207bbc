// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

/// The place of a ledger: an SQLite file, or a schema of a PostgreSQL database.
///
/// One server can serve a file. Any number of servers, on several machines, can serve a database together.
public enum LedgerDatabase: Sendable, Hashable {
    /// An SQLite file, by its path.
    case file(String)

    /// A PostgreSQL database, by its URL for libpq, and the name of the schema in it.
    ///
    /// The schema is `nil` for `headrace`.
    case server(url: String, schema: String?)

    /// Creates the place that a user has named.
    ///
    /// A text that begins with `postgres://` or `postgresql://` is the URL of a database. Its parameter `schema`, which
    /// libpq doesn't know, names the schema. Every other text is the path of a file.
    public init(_ text: String) {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix) else {
            self = .file(text)
            return
        }
        let parts = text.split(separator: "?", maxSplits: 1)
        var schema: String?
        var parameters: [Substring] = []
        for parameter in parts.dropFirst().flatMap({ $0.split(separator: "&") }) {
            if parameter.hasPrefix("schema=") {
                let value = String(parameter.dropFirst("schema=".count))
                schema = value.removingPercentEncoding ?? value
            } else {
                parameters.append(parameter)
            }
        }
        let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        self = .server(url: parts[0] + query, schema: schema)
    }

    /// The path of the file, or `nil` for a PostgreSQL database.
    public var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// Opens the ledger, and creates the file, or the schema and its tables, if they don't exist.
    ///
    /// - Returns: The open store. Close it after its last use.
    /// - Throws: `StoreError` if the file or the database can't be used, with the code `unusable` for a PostgreSQL database
    ///   if the program was built without the trait `Postgres`.
    public func open() async throws -> LedgerStore {
        switch self {
        case .file(let path):
            return LedgerStore(try SQLiteStore(path: path, entities: LedgerComposition.entities))
        case .server(let url, let schema):
            return try await Self.open(url, schema: schema)
        }
    }

    #if Postgres
    private static func open(_ url: String, schema: String?) async throws -> LedgerStore {
        let store = try await PostgresStore(
            url: url,
            entities: LedgerComposition.entities,
            configuration: configuration(schema: schema)
        )
        return LedgerStore(store)
    }

    /// The settings of a store in a schema.
    static func configuration(schema: String?) -> PostgresStore.Configuration {
        var configuration = PostgresStore.Configuration()
        if let schema { configuration.schema = schema }
        return configuration
    }
    #else
    private static func open(_ url: String, schema: String?) async throws -> LedgerStore {
        throw withoutPostgres
    }

    /// The error for a database if the program was built without the trait `Postgres`.
    static var withoutPostgres: StoreError {
        StoreError(
            code: .unusable,
            message: """
                This program was built without PostgreSQL. To fix, install libpq (on Debian: apt-get install libpq-dev) and \
                build the ledger with '--traits Postgres', as Scripts/ledger does for the URL of a database.
                """
        )
    }
    #endif
}
