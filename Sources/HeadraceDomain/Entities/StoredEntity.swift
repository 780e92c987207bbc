// SPDX-License-Identifier: Apache-2.0

import HeadraceJSON
public import HeadraceStorage

/// An entity that a store keeps, as a versioned JSON document with declared indexes.
///
/// ```swift
/// @DomainEntity
/// final class Customer: StoredEntity {
///     static let entityName = "customer"
///     static var indexes: [EntityIndex<Customer>] { [.email] }
///
///     let id: UUID
///     var email: String
///
///     init(id: UUID, email: String) {
///         self.id = id
///         self.email = email
///     }
/// }
///
/// extension EntityIndex<Customer> {
///     static var email: Self { EntityIndex("email", unique: true) { $0.email } }
/// }
/// ```
///
/// The document is the JSON that `Codable` encodes; `raisedEvents` is left out. Two encodings of the same state are
/// compared to find out whether an entity was changed, so encode the state and nothing else
/// (no time of encoding, no counter).
///
/// `@DomainEntity` generates the methods of ``DocumentCodable``, which write and read the same document many times faster.
/// Without them, the document is encoded and decoded by `Codable`.
///
/// A `Set`, and a `Dictionary` whose keys aren't strings, are stored sorted, so their order is no change. If your own
/// `encode(to:)` writes the elements of a set one by one, sort them first.
public protocol StoredEntity: HasDomainEvents, DocumentCodable, Identifiable, SendableMetatype
where ID: EntityIdentifier {
    /// The name under which the entities are stored, which must never change, even if the type is renamed.
    static var entityName: String { get }

    /// The version of the document's shape, counting from 1; the default is 1.
    ///
    /// A store can't be opened with an earlier version than before. Raise the version also when an index computes other
    /// values from the same document: a store that is opened with a later version than before rebuilds all indexes of
    /// the type.
    static var schemaVersion: Int { get }

    /// The migrations of documents from earlier versions, ordered by the version that they start from; none by default.
    ///
    /// A version without a migration has the shape of the next version.
    static var schemaMigrations: [JSONMigration] { get }

    /// The indexes by which entities are fetched; none by default.
    ///
    /// A store that is opened with other indexes than before rebuilds them.
    static var indexes: [EntityIndex<Self>] { get }
}

extension StoredEntity {
    /// The default, version 1.
    public static var schemaVersion: Int { 1 }

    /// No migrations.
    public static var schemaMigrations: [JSONMigration] { [] }

    /// No indexes.
    public static var indexes: [EntityIndex<Self>] { [] }
}

extension StoredEntity {
    /// Writes the entity by `Codable`.
    ///
    /// - Throws: `EncodingError`; the errors of the entity.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.writer.write(codable: self)
    }

    /// Reads an entity by `Codable`.
    ///
    /// - Throws: `DecodingError`; the errors of the entity.
    public init(from decoder: inout DocumentDecoder) throws {
        try self.init(from: decoder.reader.readDecoder())
    }
}
