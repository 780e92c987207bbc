// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceStorage
import Synchronization

/// A small application for the parts of Headrace that the ledger doesn't use: recurring schedules, slow handlers, handlers without
/// changes, and errors that must not be retried.
enum Courier {
    static let entities: [any StoredEntity.Type] = [
        Collection.self, Parcel.self, ParcelTrack.self, ParcelWeight.self, StoredSchedule.self,
    ]

    /// The time between two collections.
    static let interval = 5

    static func makeContainer(on store: any DeliveryStore, watch: CourierWatch) throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton(CourierWatch.self) { watch }
        builder.domain(
            store: store,
            handlers: [TrackParcel.self, WeighParcel.self],
            schedules: [
                RecurringSchedule("collections", try .every(.seconds(interval)), catchUp: .all) { Collect(due: $0) }
            ]
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [
                CollectHandler.self, InspectParcelHandler.self, LandParcelHandler.self, ScanParcelHandler.self,
            ],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self, UnitOfWorkMiddleware<EntityContext>.self]
        )
        return builder.build()
    }
}

/// Notes of the handlers, which outlive their servers.
final class CourierWatch: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let report: @Sendable (String) -> Void

    init(report: @escaping @Sendable (String) -> Void) {
        self.report = report
    }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { report(text()) }
    }

    func count(_ name: String) {
        counts.withLock { $0[name, default: 0] += 1 }
    }

    /// Number of times that `name` was counted.
    subscript(name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}

// MARK: Parcels

/// A parcel, which raises an event for each scan.
final class Parcel: StoredEntity {
    static let entityName = "parcel"

    let id: String
    private(set) var scanCount = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }

    func scan() {
        scanCount += 1
        raiseEvent(ParcelScanned(parcel: id, number: scanCount))
    }

    func land() { raiseEvent(ParcelLanded(parcel: id)) }
}

/// The last scan of a parcel that a handler has stored.
final class ParcelTrack: StoredEntity {
    static let entityName = "parcel-track"

    let id: String
    var last = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

/// Number of times that a parcel was weighed.
final class ParcelWeight: StoredEntity {
    static let entityName = "parcel-weight"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

struct ParcelScanned: DurableDomainEvent {
    static let eventName = "parcel-scanned"

    let parcel: String
    let number: Int
}

struct ParcelLanded: DurableDomainEvent {
    static let eventName = "parcel-landed"

    let parcel: String
}

/// Scans a parcel several times.
struct ScanParcel: CQDCommand, IdempotentMessage, Codable {
    static let scanCount = 4

    let parcel: String
    let round: Int

    var idempotencyKey: String { "\(parcel), round \(round)" }
}

struct ScanParcelHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self)
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ command: ScanParcel) async throws {
        let parcel = try await context.find(Parcel.self, id: command.parcel) ?? Parcel(id: command.parcel)
        context.insert(parcel)
        for _ in 0..<ScanParcel.scanCount { parcel.scan() }
    }
}

struct LandParcel: CQDCommand, IdempotentMessage, Codable {
    let parcel: String

    var idempotencyKey: String { "\(parcel), landing" }
}

struct LandParcelHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self)
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ command: LandParcel) async throws {
        let parcel = Parcel(id: command.parcel)
        context.insert(parcel)
        parcel.land()
    }
}

/// Stores each second scan of a parcel.
struct TrackParcel: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "tracks"
    static let dependencies = Dependencies().on(EntityContext.self).on(CourierWatch.self)
    private let context: EntityContext
    private let watch: CourierWatch

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        watch = scope.resolve()
    }

    func handle(_ event: ParcelScanned) async throws {
        let known = try await context.find(ParcelTrack.self, id: event.parcel)
        // The commit of a scan settles all scans before it, so they aren't delivered again.
        watch.expect(
            known?.last ?? 0 < event.number,
            "The scan \(event.number) of '\(event.parcel)' is delivered after the scan \(known?.last ?? 0) was stored.")
        if !event.number.isMultiple(of: 2) { return }
        let track = known ?? ParcelTrack(id: event.parcel)
        context.insert(track)
        track.last = event.number
    }
}

/// Takes longer than a lease, which the relay renews meanwhile.
struct WeighParcel: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "scales"
    static let dependencies = Dependencies().on(EntityContext.self).on(CourierWatch.self)
    private let context: EntityContext
    private let watch: CourierWatch

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        watch = scope.resolve()
    }

    func handle(_ event: ParcelLanded) async throws {
        watch.count("\(event.parcel) is being weighed")
        let clock = SystemValues.current.clock
        try await clock.sleep(until: clock.now.advanced(by: .seconds(12)), tolerance: nil)
        // Read after the wait: if another server has weighed the parcel meanwhile, only the lost lease refuses the commit.
        let weight = try await context.find(ParcelWeight.self, id: event.parcel) ?? ParcelWeight(id: event.parcel)
        context.insert(weight)
        weight.count += 1
    }
}

// MARK: Refusals

/// A command that is always refused.
struct InspectParcel: CQDCommand, Encodable {
    let parcel: String
}

struct InspectParcelHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(CourierWatch.self)
    private let watch: CourierWatch

    init(scope: any DependencyResolutionScope) {
        watch = scope.resolve()
    }

    func handle(_ command: InspectParcel) async throws {
        watch.count("\(command.parcel) is inspected")
        throw InspectionRefused()
    }
}

struct InspectionRefused: RetryableError {
    let isRetryable = false
}

// MARK: Collections

/// A collection, which happens at each time of the schedule.
final class Collection: StoredEntity {
    static let entityName = "collection"

    /// Seconds since 1970.
    let id: Int
    var count = 0
    var raisedEvents = RaisedEvents()

    init(id: Int) {
        self.id = id
    }
}

struct Collect: CQDCommand, DurableCommand {
    static let commandName = "collect"

    let due: Date
}

struct CollectHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self)
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ command: Collect) async throws {
        let id = Int(command.due.timeIntervalSince1970)
        let collection = try await context.find(Collection.self, id: id) ?? Collection(id: id)
        context.insert(collection)
        collection.count += 1
    }
}
#endif
