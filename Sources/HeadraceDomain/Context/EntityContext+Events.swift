// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceStorage
import Logging

extension EntityContext {
    /// Raises `event`, which no entity raises, if the unit of work commits.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     context.raiseEvent(ImportFinished(fileName: "march.csv"))
    /// }
    /// ```
    ///
    /// It is handled like the events of entities, in the order raised. Call it in the body of a unit of work, or in a pre-commit
    /// handler.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The entity that the event belongs to, or `nil`. Durable events of one entity keep their order; a durable event
    ///     without an entity has no order.
    public func raiseEvent(_ event: some DomainEvent, for source: EntityReference? = nil) {
        relayPart.raise(event, for: source)
    }

    /// Returns at most `limit` events of the store's log after a position, in commit order.
    ///
    /// Events of this unit of work are not included: they are stored when it commits.
    ///
    /// - Parameters:
    ///   - position: The position of the last known event; 0 for all events.
    ///   - limit: Maximum number of events.
    /// - Returns: The events.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await source.events(after: position, limit: limit)
    }
}

extension EntityContext {
    /// Returns stored events of an event-sourced entity, in order.
    ///
    /// Events of this unit of work are not included: they are stored when it commits.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - id: The identifier of the entity.
    ///   - number: The number of the last known event; 0 for the start.
    ///   - limit: Maximum number of events.
    /// - Returns: The events; empty if the entity doesn't exist, or if another writer deletes it during the read.
    /// - Throws: ``HeadraceStorage/StoreError``; ``EventSourcingError`` with the code `unreadableEvent` or `missingEvent`;
    ///   `CancellationError`.
    public nonisolated(nonsending) func history<Entity: EventSourcedEntity>(
        of type: Entity.Type,
        id: Entity.ID,
        after number: Int = 0,
        limit: Int
    ) async throws -> [StreamEvent] {
        try requireDeclared(EntityKind.of(type), type: type)
        let reference = EntityReference(kind: Entity.entityName, key: id.storageKey)
        var missing: (stream: StreamReferences, error: EventSourcingError)?
        while let document = try await source.find(reference) {
            let (stream, count) = try StreamFold<Entity>(document).extent
            // An event is removed only with its whole stream.
            if let missing, missing.stream == stream { throw missing.error }
            let first = max(0, number)
            let last = first + min(max(0, limit), max(0, count - first))
            do {
                return try await events(of: reference, stream, first..<last, EventTable.of(type).registry)
            } catch let error as EventSourcingError where error.code == .missingEvent {
                missing = (stream, error)
            }
        }
        return []
    }

    /// Reads the events of `stream` after the first `numbers.lowerBound`, up to the event `numbers.upperBound`.
    private nonisolated(nonsending) func events(
        of entity: EntityReference,
        _ stream: StreamReferences,
        _ numbers: Range<Int>,
        _ registry: EventRegistry
    ) async throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        while numbers.lowerBound + events.count < numbers.upperBound {
            let first = numbers.lowerBound + events.count + 1
            let part = first...min(numbers.upperBound, first + StreamReader.limit - 1)
            let wanted = part.map(stream.event)
            var found: [EntityReference: StoredDocument] = [:]
            for document in try await source.find(all: wanted) { found[document.reference] = document }
            for (number, reference) in zip(part, wanted) {
                guard let document = found[reference] else {
                    throw EventSourcingError.missing(number, of: entity)
                }
                do {
                    events.append(try StreamEvent(document, number: number, registry: registry))
                } catch {
                    throw EventSourcingError.unreadable(number, of: entity, cause: error)
                }
            }
        }
        return events
    }

    /// Reads the streams of the entities of `documents` and keeps the folded states until the end of the unit of work.
    ///
    /// - Returns: The documents whose states are known now; other writers may have changed or deleted some since.
    nonisolated(nonsending) func readStreams<Entity: EventSourcedEntity>(
        of documents: [StoredDocument],
        as type: Entity.Type
    ) async throws -> [StoredDocument] {
        // The context doesn't read the state of an entity that it tracks.
        let unknown = documents.filter { tracked[$0.reference] == nil && streams?[$0] == nil }
        let read = try await StreamReader.read(unknown, as: type, from: source)
        var current: [EntityReference: StoredDocument] = [:]
        // In place: a copy would make each read as long as all reads before it.
        if streams == nil { streams = [:] }
        for stream in read {
            streams?[stream.document] = stream
            current[stream.document.reference] = stream.document
        }
        let asked = Set(unknown.map(\.reference))
        return documents.compactMap { asked.contains($0.reference) ? current[$0.reference] : $0 }
    }
}

extension EntityContext {
    /// Schedules `command` if the unit of work commits: a `Relay` carries the command out, no earlier than `date`.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - date: The time; a time in the past means as soon as possible.
    ///   - id: The identifier under which the command can be cancelled.
    /// - Returns: `id`.
    /// - Throws: The error of the command's encoding; ``HeadraceStorage/StoreError`` with the code `unusable` if the
    ///   store doesn't keep deliveries, and `invalidDate` if `date` is infinite or not a number.
    @discardableResult
    public func schedule<Command: DurableCommand>(
        _ command: Command,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try schedule(command, at: date, since: nil, id: id)
    }

    /// Schedules `command` under a name other than that of its type, and with the given origin.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - name: The name.
    ///   - date: The time.
    ///   - start: The time of a clock from which `date` counts; `nil` if `date` depends on no clock.
    ///   - id: The identifier under which the command can be cancelled.
    ///   - origin: The origin.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    package func schedule<Command: DurableCommand>(
        _ command: Command,
        named name: String = Command.commandName,
        at date: Date,
        since start: Date?,
        id: UUID = .version7(),
        origin: MessageOrigin = .current
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        // A clock before 1970 would make the message due at once.
        let usable = start?.usable
        let due = start.flatMap { start in usable?.addingTimeInterval(date.timeIntervalSince(start)) }
        relayPart.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .command,
                name: name,
                version: Command.commandVersion,
                dueAt: due ?? date,
                json: try DocumentCoding.encode(command),
                origin: origin,
                since: usable
            )
        )
        return id
    }

    /// Schedules `command` as ``schedule(_:at:id:)`` does, after `delay`.
    ///
    /// If the clock of this machine is ahead by more than the duration of a lease, and is right when a relay looks, the delay begins
    /// then.
    @discardableResult
    public func schedule(_ command: some DurableCommand, after delay: Duration, id: UUID = .version7()) throws -> UUID {
        let now = SystemValues.currentDate
        return try schedule(command, at: now.advanced(by: delay), since: now, id: id)
    }

    /// Stores `command` with the changes of the unit of work: a `Relay` carries the command out as soon as they are committed.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     context.insert(order)
    ///     try context.send(ChargeCard(orderId: order.id))
    /// }
    /// ```
    ///
    /// If the unit of work rolls back, the command isn't sent. Otherwise it takes effect as the handler of a durable event does:
    /// its changes in the same store take effect exactly once, it is retried if it fails, and it becomes a dead letter after the
    /// last attempt. Commands that are sent have no order. If the order matters, let an entity raise a durable event for each: the
    /// deliveries of its events have one.
    ///
    /// - Parameters:
    ///   - command: The command. A `ScheduledCommand` of its type must be registered with the relay.
    ///   - id: The identifier of the message, and the cause of all messages that the command sends.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    @discardableResult
    public func send(_ command: some DurableCommand, id: UUID = .version7()) throws -> UUID {
        // A message is due at a full millisecond, which must not lie ahead.
        let milliseconds = (SystemValues.currentDate.timeIntervalSince1970 * 1_000).rounded(.down)
        let now = Date(timeIntervalSince1970: milliseconds / 1_000)
        return try schedule(command, at: now, since: now, id: id)
    }

    /// Schedules `event` if the unit of work commits: a `Relay` raises the event no earlier than `date`.
    ///
    /// The event is raised in a separate unit of work, with all its handlers.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The entity that the event belongs to, or `nil`; events of one entity keep their order.
    ///   - date: The time; a time in the past means as soon as possible.
    ///   - id: The identifier under which the event can be cancelled.
    /// - Returns: `id`.
    /// - Throws: The same errors as ``schedule(_:at:id:)``.
    @discardableResult
    public func schedule<Event: DurableDomainEvent>(
        event: Event,
        for source: EntityReference? = nil,
        at date: Date,
        id: UUID = .version7()
    ) throws -> UUID {
        try requireDeliveries()
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        relayPart.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .event,
                name: Event.eventName,
                version: Event.eventVersion,
                stream: source,
                dueAt: date,
                json: try DocumentCoding.encode(event),
                origin: .current
            )
        )
        return id
    }

    /// Cancels the message that was scheduled under `id`, if the unit of work commits.
    ///
    /// If the message has already taken effect, nothing happens, and that is not an error. If it is being handled at
    /// that moment, either the cancellation or the handler wins: a handler that commits through its unit of work after
    /// the cancellation finds its delivery gone, and stores nothing.
    public func cancelScheduled(_ id: UUID) {
        relayPart.cancellations.append(id)
    }

    private func requireDeliveries() throws {
        if storesDeliveries { return }
        throw StoreError(
            code: .unusable,
            message: """
                '\(type(of: store))' does not deliver messages, so messages can't be scheduled. To fix, use a store \
                that conforms to 'DeliveryStore'.
                """
        )
    }
}

extension EntityContext {
    /// Number of entities that a released context compares with their stored states.
    ///
    /// An ordinary commit compares all of them, but a context for reading can have thousands.
    private static let comparedCount = 8

    /// Number of changes that a report names.
    private static let namedCount = 8

    /// Logs an error if the context has changes, which nothing stores any more.
    ///
    /// A test with the values of `SystemValues.test(clock:seed:)` fails, too.
    func reportLostChanges() {
        let lost = lostChanges
        if lost.isEmpty { return }
        let names = lost.prefix(Self.namedCount).joined(separator: ", ")
        let rest = lost.count > Self.namedCount ? ", and \(lost.count - Self.namedCount) more" : ""
        let message = """
            An 'EntityContext' was released with changes that no unit of work has committed, so they are lost: \(names)\(rest). \
            To fix, add 'UnitOfWorkMiddleware<EntityContext>.self' to the 'resolvedMiddleware' of the dispatcher, or change \
            the entities within 'execute' of a 'UnitOfWork'. To discard changes, call 'rollback()'.
            """
        Logger.current.error("\(message)")
        SystemValues.bound?.reportMistake?(message)
    }

    /// The changes that a commit would store, each in a few words.
    private var lostChanges: [String] {
        var comparisons = 0
        var lost: [String] = []
        for entity in tracked.all where !entity.isReplaced {
            let isNew = !entity.isRead && !entity.isDeleted
            if isNew || (entity.isRead && entity.isDeleted) || entity.entity.raisedEvents.count > 0 {
                lost.append("the \(entity.reference)")
            } else if entity.isRead, comparisons < Self.comparedCount {
                comparisons += 1
                if entity.isChanged { lost.append("the \(entity.reference)") }
            }
        }
        return lost + otherChanges
    }
}
