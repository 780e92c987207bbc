// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON

/// Migrates the JSON of an event or an entity from one version to the next.
///
/// ```swift
/// struct OrderPlaced: DurableDomainEvent {
///     static let eventName = "order-placed"
///     static let eventVersion = 2
///     static let eventMigrations = [
///         JSONMigration(from: 1) { event in
///             event["currency"] = .string("EUR")
///         }
///     ]
///     var orderId: UUID
///     var currency: String
/// }
/// ```
///
/// Stored JSON isn't rewritten: it is migrated each time it is read. An entity is written in its new shape when it
/// changes.
public struct JSONMigration: Sendable {
    /// The version that the migration starts from, counting from 1; the result has the next version.
    public let version: Int

    private let migrate: @Sendable (Data) throws -> Data

    /// Creates a migration that changes the members of a JSON object.
    ///
    /// - Parameters:
    ///   - version: The version that the migration starts from.
    ///   - change: Changes the members.
    public init(from version: Int, _ change: @escaping @Sendable (inout [String: JSONValue]) throws -> Void) {
        self.version = version
        migrate = { json in
            var members = try JSONDocumentDecoder.decode([String: JSONValue].self, from: json)
            try change(&members)
            return try JSONDocumentEncoder.encode(members)
        }
    }

    /// Creates a migration of JSON that is not an object.
    public init(from version: Int, json migrate: @escaping @Sendable (Data) throws -> Data) {
        self.version = version
        self.migrate = migrate
    }

    func callAsFunction(_ json: Data) throws -> Data {
        try migrate(json)
    }
}

extension [JSONMigration] {
    /// Migrates `json` from `version` to the version after the last migration.
    package func migrate(_ json: Data, from version: Int) throws -> Data {
        try reduce(json) { json, migration in migration.version < version ? json : try migration(json) }
    }
}
