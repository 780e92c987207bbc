// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

/// The entities of one unit of work: the context reads each entity once, and detects changes.
///
/// ```swift
/// try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
///     let customer = try await context.find(Customer.self, id: id)
///     customer?.rename(to: "Ada")           // saved, as it was changed
///     context.insert(Order(of: id))
/// }
/// ```
///
/// Each entity is one object in a context: finding it again returns the same object. When the unit of work ends,
/// committed or not, the context forgets all entities: find them again in the next unit of work. If an entity that was
/// found before a roll-back is changed later, the next commit reports `StoreError.Code.rolledBack`,
/// because the change would be lost.
///
/// If a context is released with changes that were neither committed nor rolled back, it logs an error that names the entities.
public final class EntityContext: DomainContext {
    package let store: any EntityStore

    /// The store, or a log of what is read from it for a live query.
    let source: any EntityStore

    /// The entities that were read or inserted.
    var tracked = TrackedEntities()

    /// The event-sourced entities that were read, by their documents; `nil` if there are none.
    var streams: [StoredDocument: LoadedStream]?

    /// Tracks which entities have raised events, so that a handler costs no scan of all entities; `nil` until there is
    /// an entity.
    private var watch: PendingEventTracker?

    /// The first mistake in the use of the context, which the commit reports.
    private var mistake: StoreError?

    /// The identifiers and unique values that this unit of work has looked for without a result; `nil` if there are
    /// none.
    var absences: Absences?

    /// The entities that were read before a roll-back, and must not be changed any more; `nil` without a roll-back.
    private var rolledBack: RolledBackEntities?

    /// The additional content of the commit; `nil` if there is none.
    private var addedRelayPart: RelayPart?

    /// Whether a commit has settled the delivery that the unit of work handles.
    package private(set) var hasSettled = false

    /// Work that the store executes within the commit.
    private var work: [any StoreWork] = []

    /// The entities that this unit of work has locked; `nil` if there are none.
    var locks: ContextLocks?

    /// The entity whose document is kept from each commit; none by default.
    private var kept: EntityReference?

    /// The document that the last commit has stored for the entity of ``keep(_:)``; `nil` if it has stored none.
    package private(set) var keptDocument: StoredDocument?

    /// Whether the context only reads, so that no change is expected.
    let isReadOnly: Bool

    private let durability: Durability

    /// Whether the last commit has begun and not succeeded, so that its caller knows about the changes.
    private var hasFailed = false

    /// Creates an empty context on `store` that commits with the given durability.
    public init(_ store: any EntityStore, durability: Durability = .durable) {
        self.store = store
        source = ReadLog.source(of: store)
        self.durability = durability
        isReadOnly = false
    }

    /// Creates an empty context that only reads from `store`.
    package init(reading store: any EntityStore) {
        self.store = store
        source = ReadLog.source(of: store)
        durability = .durable
        isReadOnly = true
    }

    deinit {
        let isEmpty = tracked.all.isEmpty && work.isEmpty && addedRelayPart == nil
        if !isEmpty, !isReadOnly, !hasFailed { reportLostChanges() }
    }

    /// The additional content of the commit: scheduled messages, cancellations, the settlement, and idempotency
    /// records.
    package var relayPart: RelayPart {
        if let addedRelayPart { return addedRelayPart }
        let relayPart = RelayPart()
        addedRelayPart = relayPart
        return relayPart
    }

    /// Inserts `entity` when the unit of work commits.
    ///
    /// Inserting an entity that the context already tracks changes nothing, and if it was deleted in this context, takes
    /// back the deletion. If another entity has its identifier, the
    /// commit reports `StoreError.Code.alreadyExists`. That error is retryable if this unit of work
    /// has looked for the identifier and found nothing: another writer was faster, and a retry finds its entity. The
    /// same holds for `StoreError.Code.uniqueViolation` if a fetch by that value alone found nothing.
    ///
    /// ```swift
    /// let customer = try await context.find(Customer.self, id: id) ?? Customer(id)
    /// context.insert(customer)
    /// ```
    public func insert(_ entity: some StoredEntity) {
        rolledBack?.remove(entity)
        insert(entity, as: EntityKind.of(type(of: entity)))
    }

    private func insert(_ entity: some StoredEntity, as kind: EntityKind) {
        let reference = EntityReference(kind: kind.name, key: entity.id.storageKey)
        guard let known = tracked[kind, reference.key] else {
            let isSourced = kind.eventSourced != nil
            track(
                isSourced
                    ? SourcedEntity(entity, kind: kind, reference: reference)
                    : TrackedEntity(entity, kind: kind, reference: reference)
            )
            return
        }
        if known.entity === entity {
            known.isDeleted = false
        } else if known.isDeleted {
            let isSourced = kind.eventSourced != nil
            track(isSourced ? SourcedEntity(entity, replacing: known) : TrackedEntity(entity, replacing: known))
        } else {
            mistake = mistake ?? .alreadyExists(reference)
        }
    }

    /// Deletes `entity` when the unit of work commits.
    ///
    /// The entity must have been found, fetched, or inserted in this context; otherwise the commit reports
    /// `StoreError.Code.unknownEntity`.
    public func delete(_ entity: some StoredEntity) {
        let reference = EntityReference(to: entity)
        guard let known = tracked[reference], known.entity === entity else {
            mistake = mistake ?? .unknown(reference)
            return
        }
        known.isDeleted = true
    }

    /// Returns the entity of `type` with the identifier `id`, or `nil` if it doesn't exist or was deleted here.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        id: Entity.ID
    ) async throws -> Entity? {
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        let key = id.storageKey
        if let known = tracked[kind, key] { return known.isDeleted ? nil : known.entity as? Entity }
        let reference = EntityReference(kind: kind.name, key: key)
        var document = try await source.find(reference)
        if let eventSourced = kind.eventSourced, let read = document {
            document = try await readStreams(of: [read], as: eventSourced).first
        }
        guard let document else {
            absences = absences ?? Absences()
            absences?.note(reference)
            return known(reference)
        }
        return try trackIfUnknown(document, kind: kind, as: type)
    }

    /// Returns the entities of `type` with the identifiers `ids`, each once and in that order.
    ///
    /// Entities that don't exist or that were deleted here are left out.
    ///
    /// ```swift
    /// let orders = try await context.find(Order.self, ids: customer.orders)
    /// ```
    ///
    /// The context asks the store once, for the entities that it doesn't know.
    ///
    /// - Throws: The same errors as ``find(_:id:)``.
    public nonisolated(nonsending) func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        ids: some Sequence<Entity.ID>
    ) async throws -> [Entity] {
        let kind = EntityKind.of(type)
        let references = try references(to: ids, of: type)
        let unknown = references.filter { tracked[$0] == nil }
        if !unknown.isEmpty {
            var documents = try await source.find(all: unknown)
            if let eventSourced = kind.eventSourced {
                documents = try await readStreams(of: documents, as: eventSourced)
            }
            try take(documents, among: unknown, as: type)
        }
        return references.compactMap { known($0) }
    }

    /// Returns entities of `type`, which `read` reads without waiting, as ``find(_:ids:)`` does.
    ///
    /// - Parameters:
    ///   - type: The type of the entities.
    ///   - ids: The identifiers.
    ///   - read: Returns the documents of entities, or `nil` if it can't read from the store.
    /// - Returns: The entities.
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `unsupportedWork` if the entities can't be read without waiting; the
    ///   errors of `read`.
    package func find<Entity: StoredEntity>(
        _ type: Entity.Type,
        ids: some Sequence<Entity.ID>,
        reading read: (any EntityStore, [EntityReference]) throws -> [StoredDocument]?
    ) throws -> [Entity] {
        let references = try references(to: ids, of: type)
        let unknown = references.filter { tracked[$0] == nil }
        if !unknown.isEmpty {
            guard EntityKind.of(type).eventSourced == nil, let documents = try read(store, unknown) else {
                throw StoreError.unreadableInTransaction(type)
            }
            try take(documents, among: unknown, as: type)
        }
        return references.compactMap { known($0) }
    }

    /// Returns references to the entities of `type` with the identifiers `ids`, each once.
    private func references<Entity: StoredEntity>(
        to ids: some Sequence<Entity.ID>,
        of type: Entity.Type
    ) throws -> [EntityReference] {
        let kind = EntityKind.of(type)
        try requireDeclared(kind, type: type)
        var seen: Set<EntityReference> = []
        return ids.map { EntityReference(kind: kind.name, key: $0.storageKey) }.filter { seen.insert($0).inserted }
    }

    /// Tracks the entities of `documents`, which were just read, and notes those of `unknown` that aren't stored.
    private func take<Entity: StoredEntity>(
        _ documents: [StoredDocument],
        among unknown: [EntityReference],
        as type: Entity.Type
    ) throws {
        for document in documents { _ = try trackIfUnknown(document, kind: EntityKind.of(type), as: type) }
        if documents.count == unknown.count { return }
        absences = absences ?? Absences()
        Set(unknown).subtracting(documents.map(\.reference)).forEach { absences?.note($0) }
    }

    /// Keeps the document that the commit stores for `entity`, for a unit of work that follows at once.
    package func keep(_ entity: some StoredEntity) {
        kept = EntityReference(to: entity)
    }

    /// Returns the entity of `document`, without a read: an earlier unit of work has stored it.
    ///
    /// If the entity was changed since, the commit of its change reports `StoreError.Code.versionConflict`. If it isn't changed
    /// here, nothing reports that the document is obsolete.
    ///
    /// - Returns: The entity, or `nil` if it was deleted here.
    /// - Throws: ``HeadraceStorage/StoreError``.
    package func adopt<Entity: StoredEntity>(_ document: StoredDocument, as type: Entity.Type) throws -> Entity? {
        try trackIfUnknown(document, kind: EntityKind.of(type), as: type)
    }

    /// Adds `work` to the unit of work; the store executes it within the transaction of the commit.
    ///
    /// If the store doesn't support the work, the commit reports `StoreError.Code.unsupportedWork`.
    public func perform(_ work: some StoreWork) {
        self.work.append(work)
    }

    /// Returns the entity of `reference` if the context knows it and it isn't deleted here.
    private func known<Entity: StoredEntity>(_ reference: EntityReference) -> Entity? {
        tracked[reference].flatMap { $0.isDeleted ? nil : $0.entity as? Entity }
    }

    /// Tracks the entity of `document`, which was just read, unless the context knows the entity by now.
    ///
    /// During the read, another task of the caller's actor may have found or inserted the entity. Both tasks must
    /// receive the same object: a second object would replace the first, and the changes to the first would be lost.
    ///
    /// - Returns: The entity, or `nil` if it was deleted here.
    private func trackIfUnknown<Entity: StoredEntity>(
        _ document: StoredDocument,
        kind: EntityKind,
        as type: Entity.Type
    ) throws -> Entity? {
        if let known = tracked[document.reference] { return known.isDeleted ? nil : known.entity as? Entity }
        let (entity, tracked) = try decode(document, kind: kind, as: type)
        track(tracked)
        return entity
    }

    /// Returns the entity of `document`, which was just read, and the same with its stored state.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, with the code `rolledBack` if another task has rolled the context back
    ///   during the read, so the stream of an event-sourced entity is forgotten.
    func decode<Entity: StoredEntity>(
        _ document: StoredDocument,
        kind: EntityKind,
        as type: Entity.Type
    ) throws -> (entity: Entity, tracked: TrackedEntity) {
        if kind.eventSourced != nil {
            guard let stream = streams?[document] else { throw StoreError.rolledBackDuringRead(document.reference) }
            let entity: Entity = try DocumentCoding.decode(stream.state)
            // The state is encoded at the commit in any case.
            let sourced = SourcedEntity(entity, kind: kind, stored: stream, expectsChange: expectsCommit)
            return (entity, sourced)
        }
        let (entity, isCanonical): (Entity, Bool) = try DocumentCoding.decodeCheckingForm(document)
        let tracked = TrackedEntity(
            entity,
            kind: kind,
            storedAs: document,
            isCanonical: isCanonical,
            expectsChange: kind.isUsuallyChanged && expectsCommit
        )
        return (entity, tracked)
    }

    /// Whether a commit of the context is expected; it decides on speed only.
    ///
    /// A query has a context of its own, which no unit of work commits.
    private var expectsCommit: Bool { !isReadOnly && ActiveUnitOfWork.current != nil }

    func track(_ entity: TrackedEntity) {
        let watch = watch ?? PendingEventTracker()
        self.watch = watch
        entity.entity.raisedEvents.watch(by: watch, as: tracked.all.count)
        tracked.append(entity)
    }

    func requireDeclared(_ kind: EntityKind, type: any StoredEntity.Type) throws {
        if !store.schema.contains(kind.name) {
            throw StoreError.undeclared(kind.name, type: type)
        }
    }

    // MARK: DomainContext

    /// Takes the events of all objects that were found, fetched, or inserted, including entities deleted since, and the events
    /// without an entity.
    ///
    /// - Complexity: O(*m* log *m*) for *m* events, however many entities the context knows.
    public func takeEvents() -> [CollectedEvent] {
        let numbers = watch?.takeAll()
        if let addedRelayPart, addedRelayPart.hasEvents {
            return inOrder(addedRelayPart.takeEvents() + eventsOfEntities(numbers))
        }
        guard let numbers else { return [] }
        if !numbers.others.isEmpty { return inOrder(eventsOfEntities(numbers)) }
        // The events of one entity are in order.
        var taken: [CollectedEvent] = []
        takeEvents(of: numbers.first) { taken.append($1) }
        return taken
    }

    private func inOrder(_ events: [(order: UInt64, event: CollectedEvent)]) -> [CollectedEvent] {
        events.sorted { $0.order < $1.order }.map(\.event)
    }

    /// Takes the events of the entities with these numbers, entity by entity.
    private func eventsOfEntities(_ numbers: (first: Int, others: [Int])?) -> [(order: UInt64, event: CollectedEvent)] {
        guard let numbers else { return [] }
        var taken: [(order: UInt64, event: CollectedEvent)] = []
        takeEvents(of: numbers.first) { taken.append(($0, $1)) }
        for number in numbers.others { takeEvents(of: number) { taken.append(($0, $1)) } }
        return taken
    }

    /// Takes the events of the entity with this number.
    private func takeEvents(of number: Int, _ body: (_ order: UInt64, CollectedEvent) -> Void) {
        let source = tracked.all[number]
        source.entity.raisedEvents.takeAll { entry in
            source.noteTaken(entry)
            body(entry.order, CollectedEvent(event: entry.event, source: source.reference))
        }
    }

    /// The identity of the store: units of work on contexts of one store join.
    public var joinIdentity: ObjectIdentifier { ObjectIdentifier(store) }

    /// Whether the store is a ``HeadraceStorage/DeliveryStore``.
    public var storesDeliveries: Bool { store is any DeliveryStore }

    /// Stores the changes and the durable events among `events` in one transaction, and then forgets all entities.
    ///
    /// If there is nothing to store, the store isn't called.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, also if an entity that was found before a roll-back was changed since;
    ///   the error of an entity's or an event's encoding. Then nothing is stored.
    @inline(__always)
    public nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws {
        hasFailed = true
        var changes = ChangeSet()
        try add(events, to: &changes)
        if !changes.isEmpty {
            do {
                try await store.commit(changes)
            } catch let error as StoreError {
                throw absences?.explain(error, of: changes) ?? error
            }
            if !changes.settlements.isEmpty { hasSettled = true }
        }
        if let kept { keptDocument = changes.writes.first { $0.document.reference == kept }?.document }
        forgetAll()
    }

    /// Passes the changes and the durable events among `events` to `apply`, which stores them within a transaction of the
    /// program, and then forgets all entities.
    ///
    /// If there is nothing to store, `apply` isn't called.
    ///
    /// - Throws: The same errors as ``commit(_:)``; the errors of `apply`.
    package func commit(_ events: [CollectedEvent], by apply: (ChangeSet) throws -> Void) throws {
        hasFailed = true
        var changes = ChangeSet()
        try add(events, to: &changes)
        if !changes.isEmpty {
            do {
                try apply(changes)
            } catch let error as StoreError {
                throw absences?.explain(error, of: changes) ?? error
            }
        }
        forgetAll()
    }

    /// Adds all changes, together with the durable events among `events`.
    private func add(_ events: [CollectedEvent], to changes: inout ChangeSet) throws {
        if let mistake { throw mistake }
        try rolledBack?.requireUnchanged { tracked[$0] != nil }
        for entity in tracked.all where !entity.isReplaced {
            // The kind of an entity that was read was checked before.
            if !entity.isRead { try requireDeclared(entity.kind, type: type(of: entity.entity)) }
            try entity.addChange(to: &changes)
        }
        if !events.isEmpty { try changes.append(events) }
        if !work.isEmpty { changes.work = work }
        // Last, because the settlement belongs only to a change set that isn't empty.
        addedRelayPart?.add(to: &changes)
        changes.durability = durability
    }

    /// Forgets all entities and their changes.
    ///
    /// The next commit reports a later change of an entity that was found before.
    public func rollback() {
        let read = tracked.all.compactMap(\.rolledBack)
        forgetAll()
        if rolledBack == nil, read.isEmpty { return }
        // From here on, only entities that the program holds are alive.
        var rolledBack = rolledBack ?? RolledBackEntities()
        rolledBack.add(read)
        self.rolledBack = rolledBack
    }

    /// The changes that don't belong to an entity, each in a few words.
    var otherChanges: [String] {
        (addedRelayPart?.summary ?? []) + (work.isEmpty ? [] : ["work within the transaction"])
    }

    private func forgetAll() {
        hasFailed = false
        if !tracked.all.isEmpty { tracked = TrackedEntities() }
        if !work.isEmpty { work.removeAll() }
        if streams != nil { streams = nil }
        // A new tracker: events that the forgotten entities raise from now on don't belong to this context.
        watch = nil
        mistake = nil
        absences = nil
        addedRelayPart = nil
        if let locks {
            locks.release()
            self.locks = nil
        }
    }
}
