// SPDX-License-Identifier: Apache-2.0

#if SQLite
public import Foundation
public import GRDB
public import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage
import Synchronization

extension SQLiteStore {
    /// Raises `event` in a transaction of the program, which stores it with the program's own changes, or not at all.
    ///
    /// ```swift
    /// try await pool.write { database in
    ///     try order.insert(database)
    ///     try store.raise(OrderPlaced(order: order.id), in: database)
    /// }
    /// ```
    ///
    /// The event and its deliveries are rows of the transaction. After the commit, the relays deliver the event to its durable
    /// handlers, at least once. After a roll-back, also of a savepoint around this call, nothing of it remains. The event has the
    /// cause, the principal, and the trace of the current message.
    ///
    /// A relay of this process knows the handlers, so one must exist on the store, running or not.
    ///
    /// - Parameters:
    ///   - event: The event. Its handlers must be durable: others run in a unit of work, or not at all.
    ///   - source: The entity, or the row, that the event belongs to; `nil` for none. Events of one source keep their order.
    ///   - database: The connection, in a transaction of the connections on which the store was made.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unsupportedWork` outside of such a transaction, without a relay, or
    ///   if a handler isn't durable; the errors of ``execute(in:_:)``.
    public func raise(
        _ event: some DurableDomainEvent,
        for source: EntityReference? = nil,
        in database: Database
    ) throws {
        try execute(in: database) { $0.raiseEvent(event, for: source) }
    }

    /// Sends `command` in a transaction of the program: a relay carries it out as soon as the transaction is committed.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - id: The identifier under which the command can be cancelled.
    ///   - database: The connection, as for ``raise(_:for:in:)``.
    /// - Returns: `id`.
    /// - Throws: The errors of ``execute(in:_:)``.
    @discardableResult
    public func send(_ command: some DurableCommand, id: UUID = .version7(), in database: Database) throws -> UUID {
        try execute(in: database) { try $0.send(command, id: id) }
    }

    /// Schedules `command` in a transaction of the program: a relay carries it out no earlier than `date`.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - date: The time; a time in the past means as soon as possible.
    ///   - id: The identifier under which the command can be cancelled.
    ///   - database: The connection, as for ``raise(_:for:in:)``.
    /// - Returns: `id`.
    /// - Throws: The errors of ``execute(in:_:)``, with the code `invalidDate` if `date` is infinite or not a number.
    @discardableResult
    public func schedule(
        _ command: some DurableCommand,
        at date: Date,
        id: UUID = .version7(),
        in database: Database
    ) throws -> UUID {
        try execute(in: database) { try $0.schedule(command, at: date, id: id) }
    }

    /// Cancels the message that was scheduled or sent under `id`, in a transaction of the program.
    ///
    /// If the message has already taken effect, nothing happens.
    ///
    /// - Throws: The errors of ``execute(in:_:)``.
    public func cancelScheduled(_ id: UUID, in database: Database) throws {
        try execute(in: database) { $0.cancelScheduled(id) }
    }

    /// Runs a unit of work within a transaction of the program, which commits it or rolls it back.
    ///
    /// ```swift
    /// try await pool.write { database in
    ///     try database.execute(sql: "UPDATE invoice SET paid = 1 WHERE id = ?", arguments: [invoice])
    ///     try store.execute(in: database) { context in
    ///         try context.find(Customer.self, id: customer, in: database)?.notePayment()
    ///     }
    /// }
    /// ```
    ///
    /// `body` is synchronous: it finds entities by ``HeadraceDomain/EntityContext/find(_:id:in:)``. When it ends, the changes of
    /// the entities, their events, and the messages are written in a savepoint of the transaction, with the same checks as in any
    /// unit of work. The context ends with this call. If this call throws, nothing of it is written, and the program decides on
    /// the rest of its transaction.
    ///
    /// Handlers that run before the commit, or after it and not durably, can't run in this unit of work. So an event with such a
    /// handler is refused.
    ///
    /// - Parameters:
    ///   - database: The connection, in a transaction of the connections on which the store was made.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; ``HeadraceStorage/StoreError`` as ``commit(_:)`` does, and with the code `unsupportedWork`
    ///   outside of such a transaction, or if an event has no relay or a handler that can't run; `DatabaseError` if the program or
    ///   its task interrupts the connection.
    public func execute<Result>(
        in database: Database,
        _ body: (_ context: EntityContext) throws -> Result
    ) throws -> Result {
        try requireTransaction(database)
        let context = EntityContext(self)
        do {
            return try SQLiteErrorMapper(path: path).translatingInTransaction {
                try writerContext.syncMode.requireNoFailure()
                let undeclared = try check.requireCurrent(in: database)
                return try database.inSavepoint {
                    let result = try body(context)
                    try context.commit(delegators.address(context.takeEvents())) { changes in
                        let writer = ChangeSetWriter(changes: changes, work: try sqlWork(of: changes), ids: check.ids)
                        try writer.apply(in: database, undeclared: undeclared)
                        announcements.add(changes, on: database) { [commitFeed, deliverySignal] commit in
                            commitFeed.recordCommit(of: commit.subjects)
                            if commit.makesDeliveries { deliverySignal.notify() }
                        }
                    }
                    return result
                }
            }
        } catch {
            _ = context.takeEvents()
            context.rollback()
            throw error
        }
    }

    /// Requires `database` to be the connection that writes, in a transaction.
    private func requireTransaction(_ database: Database) throws {
        if ObjectIdentifier(database) == writer, database.isInsideTransaction { return }
        throw StoreError(
            code: .unsupportedWork,
            message: """
                The connection is \(ObjectIdentifier(database) == writer ? "in no transaction" : "not the writer of the store"), \
                so the changes would not belong to a transaction of the program. Nothing was written. To fix, call it within \
                'write' of the pool or queue that the store was made on.
                """
        )
    }
}

extension SQLiteStore: TransactionalEventStore {
    package func deliverRaisedEvents(by registrar: DomainEventHandlerRegistrar) {
        delegators.add(registrar)
    }
}

extension EntityContext {
    /// Returns the entity of `type` with the identifier `id` as a transaction of the program sees it, or `nil` if it doesn't exist
    /// or was deleted here.
    ///
    /// The variant of ``find(_:id:)`` for the body of `SQLiteStore.execute(in:_:)`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `unsupportedWork` if the entity is event-sourced, or if the store of
    ///   the context isn't an `SQLiteStore`.
    public func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        id: Entity.ID,
        in database: Database
    ) throws -> Entity? {
        try find(type, ids: CollectionOfOne(id), in: database).first
    }

    /// Returns the entities of `type` with the identifiers `ids` as a transaction of the program sees them, each once and in that
    /// order.
    ///
    /// The variant of ``find(_:ids:)`` for the body of `SQLiteStore.execute(in:_:)`.
    ///
    /// - Throws: The same errors as ``find(_:id:in:)``.
    public func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        ids: some Sequence<Entity.ID>,
        in database: Database
    ) throws -> [Entity] {
        try find(type, ids: ids) { store, references in
            guard let store = store as? SQLiteStore else { return nil }
            return try SQLiteErrorMapper(path: store.path).translatingInTransaction {
                try DocumentReader.documents(of: references, ids: store.check.ids, in: database)
            }
        }
    }
}

/// What the open transaction of a program will have changed, which the relays and live queries learn after its commit.
final class CommitAnnouncements: Sendable {
    /// The changes of one transaction.
    struct Commit: Sendable {
        var subjects: Set<CommitFeed.Subject> = []
        var makesDeliveries = false
    }

    /// One observer for a transaction, however many changes it has: GRDB asks each observer at each statement.
    private let open = Mutex<Commit?>(nil)

    /// Adds `changes` to the open transaction of `database`, and announces all of them after its commit.
    func add(_ changes: ChangeSet, on database: Database, _ announce: @escaping @Sendable (Commit) -> Void) {
        let isFirst = open.withLock { commit in
            defer {
                commit = commit ?? Commit()
                commit?.subjects.formUnion(changes.subjects)
                if changes.makesDeliveries { commit?.makesDeliveries = true }
            }
            return commit == nil
        }
        if !isFirst { return }
        database.afterNextTransaction(
            onCommit: { _ in if let commit = self.end() { announce(commit) } },
            onRollback: { _ in _ = self.end() }
        )
    }

    private func end() -> Commit? {
        open.withLock { commit in
            defer { commit = nil }
            return commit
        }
    }
}
#endif
