// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCommands
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Fires an hourly schedule, with a clock that each process sets ahead of the clocks of earlier processes.
enum Ticking {
    /// Sets the clock `hours` and one hour ahead, and runs a relay until all times up to then have fired, and their commands
    /// have been handled.
    static func run(path: String, hours: Int) async throws {
        let entities: [any StoredEntity.Type] = [StoredSchedule.self, Tick.self, TickClock.self]
        let subject = try await Subject(path: path, entities: entities)
        let wallClock = try await clock(hours + 1, on: subject.store)
        let container = try container(subject, wallClock: wallClock)
        let (relay, schedules) = (container.resolve(Relay.self), container.resolve(Schedules.self))
        async let running: Void = relay.run()
        while true {
            let next = try await schedules.all().first?.nextDue
            // The message of the next time stays.
            if let next, next > wallClock(), try await subject.store.deliveryStatistics().pendingCount == 1 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        relay.shutDown()
        try await running
        withExtendedLifetime(container) {}
    }

    /// Adds `hours` to the stored clock, and returns a clock that continues from there.
    private static func clock(_ hours: Int, on store: any DeliveryStore) async throws -> @Sendable () -> Date {
        let context = EntityContext(store)
        let time = try await context.find(TickClock.self, id: "now") ?? TickClock()
        context.insert(time)
        time.hour += hours
        try await context.commit([])
        let start = Tick.date(ofHour: time.hour)
        let began = Date()
        return { start.addingTimeInterval(Date().timeIntervalSince(began)) }
    }

    private static func container(
        _ subject: Subject,
        wallClock: @escaping @Sendable () -> Date
    ) throws -> Container {
        let builder = ContainerBuilder()
        builder.domain(
            store: subject.store,
            scheduled: [ScheduledCommand(NoteTick.self)],
            schedules: [
                RecurringSchedule("tick", try .every(.seconds(3_600)), catchUp: .all) { due in
                    NoteTick(hour: Tick.hour(of: due))
                }
            ],
            relay: Relaying.configuration,
            observers: CrashFaults.observers,
            wallClock: wallClock
        )
        builder.commandQueryDispatch().standard(commandHandlers: [NoteTickHandler.self])
        return builder.build()
    }
}

private struct NoteTick: CQDCommand, DurableCommand {
    static let commandName = "note-tick"
    var hour: Int
}

private struct NoteTickHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: NoteTick) async throws {
        try await unitOfWork.execute { context in
            let tick = try await context.find(Tick.self, id: command.hour) ?? Tick(command.hour)
            context.insert(tick)
            tick.count += 1
        }
    }
}

/// The number of firings for one hour.
private final class Tick: StoredEntity {
    static let entityName = "tick"

    let id: Int
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: Int) { self.id = id }

    static func date(ofHour hour: Int) -> Date { Date(timeIntervalSince1970: 1_699_999_200 + Double(hour) * 3_600) }

    static func hour(of date: Date) -> Int { Int(date.timeIntervalSince(Self.date(ofHour: 0)) / 3_600) }
}

/// The hour at which the last process has begun.
private final class TickClock: StoredEntity {
    static let entityName = "tick-clock"

    let id = "now"
    var hour = 0
    var raisedEvents = RaisedEvents()

    private enum CodingKeys: String, CodingKey { case hour }
}
#endif
