// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
public import HeadraceCommands
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage
import Synchronization

extension OfflineDispatcher {
    /// Keeps entities of the device equal to the value of a live query of the server, until the task is cancelled.
    ///
    /// ```swift
    /// try await offline.replicate(ListNotes(), as: Note.self) { notes in notes.map { Note($0) } }
    /// ```
    ///
    /// - The entities are stored in the store of the device, so they are there without a network, too.
    /// - The value replaces all entities of `type` that match `conditions`. Keep the query small: the whole value is sent after each change,
    ///   and a value longer than `responseLength` of the dispatcher ends the replica with an error.
    /// - After a command of this dispatcher, the value is loaded again before the command leaves a ``PredictedStore``, so its effect neither
    ///   disappears for a moment nor counts twice.
    /// - If the server demands a new sign-in, the query is sent again after a pause, which ``wake()`` ends.
    ///
    /// - Parameters:
    ///   - query: The query. Its route must be live.
    ///   - type: The type of the entities. It must not be event-sourced.
    ///   - conditions: The conditions that all entities of the value match; by default, the value has all entities of the type.
    ///   - makeEntities: Makes the entities from a value.
    /// - Throws: The errors of the query that aren't temporary, except that the user must sign in; ``HeadraceStorage/StoreError``;
    ///   `CancellationError`.
    public func replicate<Query: CQDQuery, Entity: StoredEntity>(
        _ query: Query,
        as type: Entity.Type,
        where conditions: [EntityCondition<Entity>] = [],
        _ makeEntities: @escaping @Sendable (Query.Value) throws -> [Entity]
    ) async throws where Query.Value: Sendable {
        try await relay.replicate { connection in
            var isFirst = true
            for try await value in connection.relay.remote.observe(query) {
                // An error ends this replica. Later, the value may be stored by the task of another one.
                _ = try makeEntities(value)
                try await connection.receive(isFirst: isFirst) { context in
                    try await context.replace(type, where: conditions, by: try makeEntities(value))
                }
                isFirst = false
            }
        }
    }
}

/// A connection of a replica.
struct ReplicaConnection: Sendable {
    let relay: OutboxRelay
    let replica: UUID
    let ticket: OutboxState.Ticket

    /// Stores a value as soon as it is certain which commands it includes.
    func receive(isFirst: Bool, _ value: @escaping OutboxState.Value) async throws {
        var hasArrived = false
        while true {
            let signalled = relay.signal.position
            let decision = relay.state.withLock { state in
                state.decide(value, of: replica, ticket, isFirst: isFirst, hasArrived: hasArrived)
            }
            switch decision {
            case .drop: return
            case .store(let values, let included): return try await store(values, including: included)
            case .wait(let arrives):
                hasArrived = arrives
                try await relay.signal.wait(after: signalled)
            }
        }
    }

    private func store(_ values: [OutboxState.Value], including commands: Set<UUID>) async throws {
        try await relay.outbox.execute { context in
            for value in values { try await value(context) }
            for id in commands {
                if let stored = try await context.find(StoredOfflineCommand.self, id: id) { context.delete(stored) }
            }
        }
        relay.state.withLock { $0.remove(acknowledged: commands) }
        relay.signal.notify()
    }
}

extension OutboxRelay {
    /// Runs `follow` with one connection after the other.
    func replicate(_ follow: @escaping @Sendable (ReplicaConnection) async throws -> Void) async throws {
        let replica = UUID.version7()
        state.withLock { $0.register(replica) }
        signal.notify()
        defer {
            state.withLock { $0.unregister(replica) }
            signal.notify()
        }
        var failures = 0
        while true {
            let (ticket, refreshes, wakes) = state.withLock { ($0.ticket, $0.refreshes, $0.wakes) }
            do {
                try await first(
                    { try await follow(ReplicaConnection(relay: self, replica: replica, ticket: ticket)) },
                    { try await self.wait { $0.refreshes > refreshes } }
                )
                failures = 0
            } catch let error as RemoteError where error.status == .unauthorized {
                // The user may sign in again.
                failures += 1
                let pause = pause(afterAttempt: failures)
                try await first(
                    { try await self.sleep(for: pause) },
                    { try await self.wait { $0.wakes > wakes } }
                )
            }
        }
    }

    private func wait(until condition: @Sendable (OutboxState) -> Bool) async throws {
        while true {
            let signalled = signal.position
            if state.withLock({ condition($0) }) { return }
            try await signal.wait(after: signalled)
        }
    }

    /// Runs both operations, and cancels the one that hasn't ended first.
    private func first(
        _ one: @escaping @Sendable () async throws -> Void,
        _ other: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await one() }
            group.addTask { try await other() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

extension EntityContext {
    /// Makes `entities` all entities of their type that match `conditions`, and writes those that differ.
    fileprivate nonisolated(nonsending) func replace<Entity: StoredEntity>(
        _ type: Entity.Type,
        where conditions: [EntityCondition<Entity>],
        by entities: [Entity]
    ) async throws {
        var old: [Entity.ID: Entity] = [:]
        for entity in try await fetch(type, where: conditions) { old[entity.id] = entity }
        for entity in entities {
            let id = entity.id
            if let known = old.removeValue(forKey: id) {
                if try DocumentCoding.encode(known) == DocumentCoding.encode(entity) { continue }
                delete(known)
            } else if !conditions.isEmpty, let known = try await find(type, id: id) {
                delete(known)
            }
            insert(entity)
        }
        for entity in old.values { delete(entity) }
    }
}
#endif
