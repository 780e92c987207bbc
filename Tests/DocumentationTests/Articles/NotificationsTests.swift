// SPDX-License-Identifier: Apache-2.0

import Headrace
import Testing

private struct SeatWasReserved: CQDNotification {
    let seat: String
}

private protocol Mailer: Sendable {
    func confirm(_ seat: String) async throws
}

private final class TellGuest: HandlesNotification, Resolvable {
    private let mailer: any Mailer

    init(scope: any DependencyResolutionScope) {
        mailer = scope.resolve()
    }

    func handle(_ notification: SeatWasReserved) async throws {
        try await mailer.confirm(notification.seat)
    }
}

private final class CountSeats: HandlesNotification, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ notification: SeatWasReserved) async throws {
        notes.note("counted \(notification.seat)")
    }
}

private struct Repeated: Error {}

/// Confirms each seat once.
private struct NotingMailer: Mailer {
    let notes: Notes

    func confirm(_ seat: String) async throws {
        if notes.all.contains("confirmed \(seat)") { throw Repeated() }
        notes.note("confirmed \(seat)")
    }
}

private struct ImportFinished: DomainEvent {
    let fileName: String
}

private struct Announce: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: ImportFinished, resolver: any DependencyResolver) async throws {
        resolver.resolve(Notes.self).note("imported \(event.fileName)")
    }
}

@Suite(.timeLimit(.minutes(1))) struct NotificationsTests {
    private let notes = Notes()
    private let builder = ContainerBuilder()

    init() {
        let notes = notes
        builder.singleton { notes }
        builder.singleton((any Mailer).self) { NotingMailer(notes: notes) }
    }

    @Test func eachHandlerReceivesTheNotification() async throws {
        builder.commandQueryDispatch().standard(notificationHandlers: [TellGuest.self, CountSeats.self])
        let container = builder.build()
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.publish(SeatWasReserved(seat: "A1"))

        #expect(notes.all == ["confirmed A1", "counted A1"])

        let lines = try await printed {
            do {
                try await dispatcher.publish(SeatWasReserved(seat: "A1"), .concurrently)
            } catch let error as PublicationError {
                for failure in error.failures { print("\(failure.handler): \(failure.error)") }
            }
        }

        #expect(lines == ["TellGuest: Repeated()"])
        #expect(notes.all == ["confirmed A1", "counted A1", "counted A1"])
        withExtendedLifetime(container) {}
    }

    @Test func aUnitOfWorkRaisesAnEventWithoutAnEntity() async throws {
        builder.domain(store: try InMemoryStore(entities: []), staticHandlers: [Announce.self])
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()

        try await unitOfWork.execute { context in
            context.raiseEvent(ImportFinished(fileName: "march.csv"))
        }

        #expect(notes.all == ["imported march.csv"])
    }
}
