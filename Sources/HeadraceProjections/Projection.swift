// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// A read model: rows that are computed from the events of the log, and that can always be computed again.
///
/// ```swift
/// let customerTotals = Projection<CustomerTotal>("customer-totals", version: 1)
///     .applying(OrderPlaced.self) { event, rows in
///         try await rows.update(event.customerId, orInsert: CustomerTotal(id: event.customerId)) { row in
///             row.orderCount += 1
///             row.total += event.total
///         }
///     }
///     .applying(CustomerRemoved.self) { event, rows in
///         rows.delete(event.customerId)
///     }
/// ```
///
/// ``Projections`` applies the events in the background, in the order of the log, each exactly once. If ``version`` is greater
/// than before, the rows of the new version are computed from the beginning of the log, while the rows of the old version
/// remain. See <doc:ReadModels>.
public struct Projection<Row: ProjectionRow>: Sendable {
    /// The name under which the projection is stored.
    public let name: String

    /// The version of the rows, counting from 1.
    public let version: Int

    /// The earliest version of which `Row` can decode the rows.
    let readableVersion: Int

    let missingEvents: MissingEvents
    private(set) var routes: [ProjectionRoute<Row>] = []

    /// Declares a projection without events.
    ///
    /// - Parameters:
    ///   - name: The name, from 1 to 100 bytes of UTF-8 without a slash. It must never change: a projection with another name
    ///     is another projection.
    ///   - version: The version, at least 1. Raise it whenever the same events should give other rows.
    ///   - readableVersion: The earliest version of which `Row` can decode the rows. While `version` is being built, queries read
    ///     the rows of an earlier version only if this allows it; otherwise they fail with the code
    ///     `ProjectionError.Code.building`. By default, no earlier version is read.
    ///   - missingEvents: Whether the projection can be built from a log without its oldest events.
    public init(
        _ name: String,
        version: Int,
        readableFrom readableVersion: Int? = nil,
        missingEvents: MissingEvents = .refused
    ) {
        self.name = name
        self.version = version
        self.readableVersion = readableVersion ?? version
        self.missingEvents = missingEvents
    }

    /// Returns the projection with a function that applies the events of `type`.
    ///
    /// The function changes rows and does nothing else: it must compute the same rows whenever it is applied to the same events.
    /// So it doesn't use the current time, random numbers, or other data. It runs in a unit of work on the store together with
    /// other events, and the unit of work is repeated after a failure.
    ///
    /// - Parameters:
    ///   - type: The type of the events. The log may contain events of its earlier versions, which are migrated before.
    ///   - apply: Changes the rows. If it throws, the projection stops before this event, and tries again after a pause.
    /// - Returns: The projection.
    public func applying<Event: DurableDomainEvent>(
        _ type: Event.Type,
        _ apply:
            nonisolated(nonsending) @escaping @Sendable (
                _ event: Event, _ rows: ProjectionRows<Row>
            ) async throws -> Void
    ) -> Projection {
        var projection = self
        projection.routes.append(ProjectionRoute(type, apply))
        return projection
    }
}

/// The function that applies one type of event.
struct ProjectionRoute<Row: ProjectionRow>: Sendable {
    let type: any DurableDomainEvent.Type
    let apply: nonisolated(nonsending) @Sendable (any DurableDomainEvent, ProjectionRows<Row>) async throws -> Void

    init<Event: DurableDomainEvent>(
        _ type: Event.Type,
        _ apply: nonisolated(nonsending) @escaping @Sendable (Event, ProjectionRows<Row>) async throws -> Void
    ) {
        self.type = type
        self.apply = { event, rows in
            // The registry decodes the events of a name as the type of that name.
            guard let event = event as? Event else { return }
            try await apply(event, rows)
        }
    }
}

/// Whether a projection stops if the log no longer has all events that its rows depend on.
public struct MissingEvents: Hashable, Sendable {
    private enum Kind { case refused, skipped }

    private let kind: Kind

    /// The projection stops with `ProjectionError.Code.eventsMissing`; the default.
    public static let refused = MissingEvents(kind: .refused)

    /// The projection is computed from the events that the log still has.
    ///
    /// Choose it if the rows describe recent events only. Choose it also if an earlier version of Headrace has written
    /// a PostgreSQL log, and a position there never had an event because a transaction was rolled back.
    public static let skipped = MissingEvents(kind: .skipped)
}

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
