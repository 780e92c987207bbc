// SPDX-License-Identifier: Apache-2.0
#if Macros
import Headrace
import Testing

/// Handlers of the main actor, called from elsewhere.
@Suite(.timeLimit(.minutes(2))) struct MainActorHandlersTests {
    @Test func commandsAndQueriesFromElsewhereAreHandledOnTheMainActor() async throws {
        let screen = await Screen()
        let builder = ContainerBuilder()
        builder.singleton { screen }
        builder.commandQueryDispatch().standard(
            commandHandlers: [ShowMessageHandler.self],
            queryHandlers: [GetMessagesHandler.self],
            streamHandlers: [ListMessagesHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        try await dispatcher.dispatch(ShowMessage(text: "Saved"))
        let messages = try await dispatcher.dispatch(GetMessages())
        var listed: [String] = []
        for try await message in try await dispatcher.dispatch(ListMessages()) { listed.append(message) }

        #expect(messages == ["Saved"])
        #expect(listed == ["Saved"])
    }

    @Test func eventsOfAUnitOfWorkElsewhereAreHandledOnTheMainActor() async throws {
        let screen = await Screen()
        let builder = ContainerBuilder()
        builder.singleton { screen }
        builder.domainEvents(handlers: [ShowNote.self])
        let store = try InMemoryStore(entities: [Note.self])

        try await write("seen", to: store, builder.build())

        #expect(await screen.messages == ["seen"])
    }

    @Test func deliveriesOfARelayAreHandledOnTheMainActor() async throws {
        let screen = await Screen()
        let builder = ContainerBuilder()
        builder.singleton { screen }
        builder.domainEvents(handlers: [ShowStoredNote.self])
        let container = builder.build()
        let store = try InMemoryStore(entities: [Note.self])
        let relay = Relay(store: store, registrar: container.resolve())

        async let running: Void = relay.run()
        try await write("delivered", to: store, container)
        let shown = await screen.shown.first { _ in true }
        relay.shutDown()
        try await running

        #expect(shown == "delivered")
    }

    private func write(_ text: String, to store: InMemoryStore, _ container: Container) async throws {
        let unitOfWork = UnitOfWork(
            delegator: container.resolve(DomainEventHandlerRegistrar.self),
            context: EntityContext(store)
        )
        try await unitOfWork.execute { context in
            let note = Note(id: text)
            context.insert(note)
            note.raiseEvent(NoteWritten(text: text))
        }
    }
}

// MARK: - The main actor

/// State that only the main actor may use.
@MainActor
private final class Screen {
    private(set) var messages: [String] = []
    let shown: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (shown, continuation) = AsyncStream.makeStream()
    }

    func show(_ message: String) {
        messages.append(message)
        continuation.yield(message)
    }
}

private struct ShowMessage: CQDCommand { let text: String }

@MainActor @Resolvable
private final class ShowMessageHandler: HandlesCommand {
    private let screen: Screen

    func handle(_ command: ShowMessage) async throws {
        screen.show(command.text)
    }
}

private struct GetMessages: CQDQuery { typealias Value = [String] }

@MainActor @Resolvable
private struct GetMessagesHandler: HandlesQuery {
    private let screen: Screen

    func handle(_ query: GetMessages) async throws -> [String] {
        screen.messages
    }
}

private struct ListMessages: CQDStreamQuery { typealias Element = String }

@MainActor @Resolvable
private final class ListMessagesHandler: HandlesStreamQuery {
    private let screen: Screen

    func handle(_ query: ListMessages) async throws -> AsyncStream<String> {
        let messages = screen.messages
        return AsyncStream { continuation in
            for message in messages { continuation.yield(message) }
            continuation.finish()
        }
    }
}

// MARK: - Events

private final class Note: StoredEntity {
    static let entityName = "main-actor-note"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private struct NoteWritten: DurableDomainEvent {
    static let eventName = "main-actor-note-written"
    let text: String
}

@MainActor @Resolvable
private final class ShowNote: HandlesDomainEvent {
    static let isPostCommit = true

    private let screen: Screen

    func handle(_ event: NoteWritten) async throws {
        screen.show(event.text)
    }
}

@MainActor @Resolvable
private final class ShowStoredNote: HandlesDurableDomainEvent {
    static let subscriptionName = "main-actor-screen"

    private let screen: Screen

    func handle(_ event: NoteWritten) async throws {
        screen.show(event.text)
    }
}
#endif
