// SPDX-License-Identifier: Apache-2.0

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
