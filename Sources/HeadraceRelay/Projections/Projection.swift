// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain

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
