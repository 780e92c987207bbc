// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// A projection of any type of row.
struct ProjectionDefinition: Sendable {
    let version: ProjectionVersion
    let readableVersion: Int
    let skipsMissingEvents: Bool
    let events: EventRegistry
    let eventTypes: [any DurableDomainEvent.Type]

    /// The mistakes in the declaration.
    let mistakes: [String]

    /// Applies events of the log, in a unit of work on the context.
    ///
    /// It throws ``ProjectionStop`` if it can't apply an event.
    let apply: nonisolated(nonsending) @Sendable ([ProjectedEvent], EntityContext) async throws -> Void

    init<Row: ProjectionRow>(_ projection: Projection<Row>) {
        let version = ProjectionVersion(name: projection.name, number: projection.version)
        self.version = version
        readableVersion = projection.readableVersion
        skipsMissingEvents = projection.missingEvents == .skipped
        var registry = EventRegistry()
        var mistakes = Self.mistakes(in: projection)
        var routes: [BytewiseString: ProjectionRoute<Row>] = [:]
        for route in projection.routes {
            do {
                try registry.register(anyEvent: route.type)
            } catch {
                mistakes.append("\(error)")
            }
            if routes.updateValue(route, forKey: BytewiseString(route.type.eventName)) != nil {
                mistakes.append(
                    """
                    The projection '\(projection.name)' applies '\(route.type.eventName)' twice. To fix, declare one function \
                    for each event.
                    """
                )
            }
        }
        events = registry
        eventTypes = projection.routes.map(\.type)
        self.mistakes = mistakes
        let functions = routes
        apply = { events, context in
            guard let first = events.first else { return }
            let rows = ProjectionRows(RowDocuments<Row>(context: context, version: version), record: first.record)
            for event in events {
                guard let route = functions[BytewiseString(event.record.event.name)] else { continue }
                rows.record = event.record
                do {
                    try await route.apply(event.event, rows)
                } catch let error as StoreError {
                    throw error
                } catch let error where !(error is CancellationError && Task.isCancelled) {
                    throw ProjectionStop(record: event.record, cause: error)
                }
            }
            try await rows.flush()
        }
    }

    private static func mistakes<Row: ProjectionRow>(in projection: Projection<Row>) -> [String] {
        var mistakes: [String] = []
        let name = projection.name
        if !(1...100).contains(name.utf8.count) || name.contains("/") {
            mistakes.append(
                """
                The name of the projection '\(name)' has \(name.utf8.count) bytes or contains a slash. To fix, give it a name of \
                1 to 100 bytes without a slash.
                """
            )
        }
        if projection.version < 1 || projection.readableVersion < 1 || projection.readableVersion > projection.version {
            mistakes.append(
                """
                The projection '\(name)' has the version \(projection.version) and reads from version \
                \(projection.readableVersion). To fix, count versions from 1, and read from a version up to its own.
                """
            )
        }
        if projection.routes.isEmpty {
            mistakes.append("The projection '\(name)' applies no event. To fix, add 'applying(…)'.")
        }
        let indexes = Row.indexes.map(\.name)
        if indexes.count > StoredProjectionRow.slotCount || Set(indexes).count < indexes.count {
            mistakes.append(
                """
                The row '\(String(naming: Row.self))' of the projection '\(name)' has the indexes \(indexes). To fix, declare at \
                most \(StoredProjectionRow.slotCount) indexes, each with a unique name.
                """
            )
        }
        return mistakes
    }

    /// Returns the mistakes in `definitions`, on a store with `schema`.
    static func mistakes(in definitions: [ProjectionDefinition], schema: EntitySchema) -> [String] {
        var mistakes = definitions.flatMap(\.mistakes)
        var names: Set<BytewiseString> = []
        for name in definitions.map(\.version.name) where !names.insert(BytewiseString(name)).inserted {
            mistakes.append("Two projections have the name '\(name)'. To fix, give each projection a unique name.")
        }
        for entity in Projections.entities where !schema.contains(entity.entityName) {
            mistakes.append(
                """
                The store was not opened with '\(String(naming: entity))', so it can't keep projections. To fix, add \
                'Projections.entities' to the 'entities' that the store is created with.
                """
            )
        }
        return mistakes
    }

    /// Decodes the events that the projection applies, until one can't be decoded.
    ///
    /// - Returns: The events, and the reason why the event after them can't be applied.
    func decode(_ records: [EventRecord]) -> (events: [ProjectedEvent], stop: ProjectionStop?) {
        var decoded: [ProjectedEvent] = []
        for record in records where events.type(named: record.event.name) != nil {
            do {
                decoded.append(ProjectedEvent(record: record, event: try events.decode(record.event)))
            } catch {
                return (decoded, ProjectionStop(record: record, cause: error))
            }
        }
        return (decoded, nil)
    }
}

/// An event of the log that a projection applies.
struct ProjectedEvent: Sendable {
    let record: EventRecord
    let event: any DurableDomainEvent
}

/// An event that can't be applied.
struct ProjectionStop: Error {
    let record: EventRecord
    let cause: any Error
}

extension EventRegistry {
    /// Registers a type that is known only at run time.
    fileprivate mutating func register(anyEvent type: any DurableDomainEvent.Type) throws {
        func register<Event: DurableDomainEvent>(_ type: Event.Type) throws { try self.register(type) }
        try register(type)
    }
}
