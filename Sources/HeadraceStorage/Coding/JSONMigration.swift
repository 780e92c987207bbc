//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceJSON

/// Brings the JSON of an event or an entity from one version of its shape to the next one.
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
/// What is stored stays as it is: it is brought up to date each time it is read, and an entity is written in its new shape
/// when it changes.
public struct JSONMigration: Sendable {
    /// The version that it starts from, counting from 1; it ends with the one that follows.
    public let version: Int

    private let migrate: @Sendable (Data) throws -> Data

    /// Creates a migration that changes the members of a JSON object.
    ///
    /// - Parameters:
    ///   - version: The version that it starts from.
    ///   - change: Changes the members.
    public init(from version: Int, _ change: @escaping @Sendable (inout [String: JSONValue]) throws -> Void) {
        self.version = version
        migrate = { json in
            var members = try JSONDocumentDecoder.decode([String: JSONValue].self, from: json)
            try change(&members)
            return try JSONDocumentEncoder.encode(members)
        }
    }

    /// Creates a migration of what is no JSON object.
    public init(from version: Int, json migrate: @escaping @Sendable (Data) throws -> Data) {
        self.version = version
        self.migrate = migrate
    }

    func callAsFunction(_ json: Data) throws -> Data {
        try migrate(json)
    }
}

extension [JSONMigration] {
    /// Brings `json` from `version` to the one that follows the last migration.
    package func migrate(_ json: Data, from version: Int) throws -> Data {
        try reduce(json) { json, migration in migration.version < version ? json : try migration(json) }
    }
}
