// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceStorage

/// A stored entity whose state is the result of its events: the store keeps the events, and the state is folded from them.
///
/// ```swift
/// final class Account: EventSourcedEntity {
///     static let entityName = "account"
///     static var indexes: [EntityIndex<Account>] { [.owner] }
///     static var appliedEvents: [AppliedEvent<Account>] {
///         [
///             .on(AccountOpened.self) { account, event in account.owner = event.owner },
///             .on(MoneyDeposited.self) { account, event in account.balance += event.cents },
///             .on(MoneyWithdrawn.self) { account, event in account.balance -= event.cents },
///         ]
///     }
///
///     let id: String
///     private(set) var owner = ""
///     private(set) var balance = 0
///     var raisedEvents = RaisedEvents()
///
///     init(id: String) { self.id = id }
///
///     static func open(_ id: String, owner: String) -> Account {
///         let account = Account(id: id)
///         account.raiseEvent(AccountOpened(owner: owner))
///         return account
///     }
///
///     func deposit(_ cents: Int) {
///         raiseEvent(MoneyDeposited(cents: cents))
///     }
///
///     func withdraw(_ cents: Int) throws {
///         if balance < cents { throw InsufficientFunds() }
///         raiseEvent(MoneyWithdrawn(cents: cents))
///     }
/// }
/// ```
///
/// A method decides and raises an event; the event changes the state. An ``EntityContext`` finds, fetches, inserts, and
/// deletes such an entity like any other ``StoredEntity``, with the same conflicts, indexes, and deliveries. See
/// <doc:EventSourcing>.
///
/// The events of one entity are its *stream*. The store keeps a stream in separate documents, in the same transaction as the
/// event log. Pruning the log removes nothing from a stream. Deleting the entity deletes its stream.
///
/// A *snapshot* is the stored state after some event, as `Codable` encodes it. Loading an entity reads the latest snapshot and
/// the later events. A snapshot of another ``StoredEntity/schemaVersion`` is never read: the state is folded from all events,
/// and the next commit replaces the snapshot. So raise the version if the shape of the state or the effect of an event
/// changes. ``StoredEntity/schemaMigrations`` are not used. An event of an earlier version is migrated by its own
/// ``DurableDomainEvent/eventMigrations``.
public protocol EventSourcedEntity: StoredEntity {
    /// The types of event that change the state, each with its effect.
    ///
    /// An event that is stored must stay readable: don't remove its type from the list.
    static var appliedEvents: [AppliedEvent<Self>] { get }

    /// The number of events after which a commit stores a new snapshot, at least 1; the default is 100.
    ///
    /// Loading reads the snapshot and at most one event less than the interval of the last commit. With 1, each commit stores
    /// the state, and loading reads no event.
    ///
    /// After you have raised ``StoredEntity/schemaVersion``, each load folds all events of the entity until its next commit, which
    /// stores a new snapshot. Loading alone stores none, so an entity that is only read folds all its events at each load.
    static var snapshotInterval: Int { get }

    /// Creates the entity as it is before its first event.
    init(id: ID)
}

extension EventSourcedEntity {
    /// The default, 100.
    public static var snapshotInterval: Int { 100 }
}

/// A type of event with its effect on the state of an ``EventSourcedEntity``.
public struct AppliedEvent<Entity: EventSourcedEntity>: Sendable {
    let type: any DurableDomainEvent.Type

    /// Changes an entity if the event has the type.
    let apply: @Sendable (Entity, any DomainEvent) -> Void

    /// Creates the effect of the events of `type`.
    ///
    /// - Parameters:
    ///   - type: The type of event.
    ///   - apply: Changes the entity. It can't fail, because the event has already happened. It must depend only on the entity
    ///     and the event: no time, no random value, no other object. It must not raise events. A commit applies the new events
    ///     a second time, and refuses a different result.
    /// - Returns: The effect.
    public static func on<Event: DurableDomainEvent>(
        _ type: Event.Type,
        _ apply: @escaping @Sendable (_ entity: Entity, _ event: Event) -> Void
    ) -> AppliedEvent {
        AppliedEvent(type: type) { entity, event in
            if let event = event as? Event { apply(entity, event) }
        }
    }
}

/// The applied events of one type of entity, read from the type once.
final class EventTable: Sendable {
    /// The types by their stored names.
    let registry: EventRegistry

    /// The first mistake in the list, which opening a store reports.
    let mistake: EventError?

    private let effects: [ObjectIdentifier: @Sendable (AnyObject, any DomainEvent) -> Void]

    private static let tables = TypeCache<EventTable>()

    private init<Entity: EventSourcedEntity>(_ type: Entity.Type) {
        var registry = EventRegistry()
        var mistake: EventError?
        var effects: [ObjectIdentifier: @Sendable (AnyObject, any DomainEvent) -> Void] = [:]
        for applied in Entity.appliedEvents {
            do {
                try Self.register(applied.type, in: &registry)
            } catch {
                mistake = mistake ?? error as? EventError
            }
            if effects[ObjectIdentifier(applied.type)] != nil {
                mistake = mistake ?? .ambiguous(applied.type.eventName, applied.type, applied.type)
            }
            effects[ObjectIdentifier(applied.type)] = { entity, event in
                if let entity = entity as? Entity { applied.apply(entity, event) }
            }
        }
        self.registry = registry
        self.mistake = mistake
        self.effects = effects
    }

    private static func register<Event: DurableDomainEvent>(
        _ type: Event.Type,
        in registry: inout EventRegistry
    ) throws {
        try registry.register(type)
    }

    /// Returns the table of the entities of `type`.
    static func of<Entity: EventSourcedEntity>(_ type: Entity.Type) -> EventTable {
        tables.value(of: type) { EventTable(type) }
    }

    /// Whether the events of `type` have an effect.
    func contains(_ type: any DomainEvent.Type) -> Bool {
        effects[ObjectIdentifier(type)] != nil
    }

    /// Changes `entity` as `event` requires.
    ///
    /// - Returns: Whether the event has an effect; `false` if its type is not among the applied events.
    @discardableResult
    func apply(_ event: any DomainEvent, to entity: some EventSourcedEntity) -> Bool {
        guard let effect = effects[ObjectIdentifier(type(of: event))] else { return false }
        effect(entity, event)
        return true
    }
}

extension EventSourcedEntity {
    /// Applies `event` to the entity, and raises it.
    ///
    /// The unit of work adds the event to the entity's stream, and delivers it like any other durable event. If the type of the
    /// event is not among the ``appliedEvents``, the event is only delivered, and isn't part of the stream.
    public func raiseEvent(_ event: some DomainEvent) {
        if EventTable.of(Self.self).apply(event, to: self) {
            raisedEvents.append(applied: event)
        } else {
            raisedEvents.append(event)
        }
    }

    /// Returns the entity `id` after `events`.
    package static func folded(id: ID, _ events: [any DurableDomainEvent]) -> Self {
        let entity = Self(id: id)
        let table = EventTable.of(Self.self)
        for event in events { table.apply(event, to: entity) }
        return entity
    }

    /// Returns whether the type of `event` is among the ``appliedEvents``.
    package static func applies(_ event: any DomainEvent) -> Bool {
        EventTable.of(Self.self).contains(type(of: event))
    }

    /// Returns the entity as a store would read it after a commit: encoded and decoded.
    ///
    /// - Throws: `EncodingError`; ``HeadraceStorage/StoreError`` with the code `undecodable`.
    package func reloaded() throws -> Self {
        try DocumentCoding.decode(
            StoredDocument(
                reference: EntityReference(to: self),
                version: 1,
                schemaVersion: Self.schemaVersion,
                json: try stateDocument()
            )
        )
    }

    /// The state of the entity, as a snapshot stores it.
    ///
    /// - Throws: `EncodingError`; the errors of the entity.
    package func stateDocument() throws -> Data {
        try DocumentCoding.encode(self)
    }
}
