// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceHummingbird
import HeadraceInspector
import Hummingbird
import NotesDomain

/// The server of the notes, with the inspector at `/inspector/`.
struct NotesServer {
    let store: any DeliveryStore
    let users: [TokenUser]
    let inspector = Inspector()
    var announcer = Announcer { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) }

    func container() throws -> Container {
        let container = try Notes.container(
            on: store, handlers: [AnnounceNote.self], observers: [inspector.observer],
            relayObservers: [inspector.observer]
        ) { builder in
            builder.singleton { announcer }
        }
        inspector.show(container.graph)
        inspector.show(store)
        return container
    }

    func router(of container: Container, port: Int) throws -> Router<BasicRequestContext> {
        let access = TokenAccess(users)
        var requests = RequestMiddleware<BasicRequestContext>.Configuration()
        requests.principal = { request, _ in try access.user(of: request) }
        requests.observers = [inspector.observer]

        let router = Router()
        router.mountInspector(inspector) { announcer.announce("Inspector: http://127.0.0.1:\(port)\($0)") }
        router.health(HealthChecks(store: container.resolve(), relay: container.resolve()))
        router.addMiddleware {
            RequestMiddleware(requests)
            IdempotencyKeyMiddleware(waitsForFirst: true)
        }
        let users = router.group().add(middleware: PrincipalGuardMiddleware())
        try users.messages(of: container, problems: requests.problems).mount(Notes.api)
        return router
    }

    /// Runs the server until the task is cancelled or a signal comes.
    func run(port: Int, onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let container = try container()
        let application = Application(
            router: try router(of: container, port: port),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { await onListening($0.localAddress?.port ?? port) }
        )
        let server = HeadraceServer(services: [container.resolve(Relay.self)], application: application)
        try await server.run()
    }
}

struct Announcer: Sendable {
    let announce: @Sendable (String) -> Void
}

/// Stands for a slow service, such as a mail to all users.
@Resolvable
final class AnnounceNote: HandlesDurableDomainEvent {
    static let subscriptionName = "announcements"

    private let announcer: Announcer

    func handle(_ event: NoteAdded) async throws {
        announcer.announce("New note: \(event.title)")
    }
}
