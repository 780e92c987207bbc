// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
import HeadraceJSON
public import HeadraceStorage
import Synchronization

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

/// An identifier of the entities of one type, which can be written as text.
///
/// `UUID`, `String`, `Int`, and enumerations or wrappers of them are identifiers. For stored entities, create UUIDs
/// with `UUID.version7()`, which sort by time.
public protocol EntityIdentifier: Hashable, Sendable, Codable {
    /// The identifier as text, which must never change: identifiers are equal if and only if the UTF-8 bytes of their
    /// texts are.
    var storageKey: String { get }
}

extension String: EntityIdentifier {
    /// The text in composed form (Unicode's normalization form C), so that equal texts have the same key.
    public var storageKey: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}

extension Int: EntityIdentifier {
    /// The number in base 10.
    public var storageKey: String { description }
}

extension UUID: EntityIdentifier {
    /// The usual form in lower case, as RFC 9562 writes it.
    public var storageKey: String { text() }
}

extension EntityIdentifier where Self: RawRepresentable, RawValue: EntityIdentifier {
    /// The key of the raw value.
    public var storageKey: String { rawValue.storageKey }
}

extension EntityReference {
    /// Creates a reference to `entity`.
    package init<Entity: StoredEntity>(to entity: Entity) {
        self.init(kind: Entity.entityName, key: entity.id.storageKey)
    }
}

/// What a unit of work must know about a type of entity, read from the type once.
///
/// Two types are the same if their kinds are the same object.
final class EntityKind: Sendable {
    /// The ``StoredEntity/entityName``.
    let name: String

    /// Whether the type has indexes.
    let hasIndexes: Bool

    /// The type, if its entities are event-sourced; otherwise `nil`.
    let eventSourced: (any EventSourcedEntity.Type)?

    /// How often entities were changed after they were read, compared with how often they were not; from 0 to 3.
    private let changes = Atomic(2)

    private static let kinds = TypeCache<EntityKind>()

    private init<Entity: StoredEntity>(_ type: Entity.Type) {
        name = Entity.entityName
        hasIndexes = !Entity.indexes.isEmpty
        eventSourced = type as? any EventSourcedEntity.Type
    }

    /// Returns the kind of the entities of `type`.
    static func of<Entity: StoredEntity>(_ type: Entity.Type) -> EntityKind {
        kinds.value(of: type) { EntityKind(type) }
    }

    /// Whether most entities are changed after they were read, to judge by the latest commits.
    ///
    /// It decides on speed only. Two tasks that change it at the same time may lose a change.
    var isUsuallyChanged: Bool { changes.load(ordering: .relaxed) >= 2 }

    /// Notes whether an entity that was read has changed.
    func note(isChanged: Bool) {
        let count = changes.load(ordering: .relaxed)
        if isChanged {
            if count < 3 { changes.store(count + 1, ordering: .relaxed) }
        } else if count > 0 {
            changes.store(count - 1, ordering: .relaxed)
        }
    }
}

/// Values by type, each made when it is first looked up.
final class TypeCache<Value: Sendable>: Sendable {
    private let values = Mutex<[ObjectIdentifier: Value]>([:])

    /// Returns the value of `type`; `make` makes it, and may run more than once.
    func value(of type: Any.Type, orMake make: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        if let known = values.withLock({ $0[id] }) { return known }
        // Outside of the lock, because it may run code of the program.
        let made = make()
        return values.withLock { values in
            if let known = values[id] { return known }
            values[id] = made
            return made
        }
    }
}
