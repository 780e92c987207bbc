// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import HeadraceTesting
import Testing

/// A domain and the dispatcher of its commands, composed as in a program.
@Suite(.timeLimit(.minutes(1))) struct DomainCompositionTests {
    private let store: InMemoryStore
    private let watch = Watch()

    init() throws {
        store = try InMemoryStore(entities: [Note.self])
    }

    /// The whole program, except for the outlet that `SendNote` and `TellOutlet` need.
    private func builder(relay: Relay.Configuration = Relay.Configuration()) -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.domain(
            store: store,
            events: [NoteKept.self],
            handlers: [TellOutlet.self],
            scheduled: [
                ScheduledCommand(SendNote.self) { command, scope in
                    try await scope.require((any CommandQueryDispatcher).self).dispatch(command)
                }
            ],
            relay: relay,
            relayObservers: [watch]
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [KeepNoteHandler.self, SendNoteHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        return builder
    }

    @Test func missingDependenciesOfEventAndCommandHandlersAreReportedAtTheStart() throws {
        let error = try #require(throws: CompositionError.self) { try builder().validate(.strict) }

        #expect(error.problems.map(\.kind) == [.missing, .missing])
        #expect(error.opaque.isEmpty)
        #expect(error.message.contains("'outlet' → HeadraceTests.TellOutlet. To fix"))
        #expect(error.message.contains("CommandQueryDispatcher → HeadraceTests.SendNoteHandler. To fix"))
    }

    @Test func theMiddlewareOfADomainIsMissingWithoutTheDomain() throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            resolvedMiddleware: [IdempotencyMiddleware.self, UnitOfWorkMiddleware<EntityContext>.self]
        )

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(
            error.problems.compactMap { $0.path.last.map { ObjectIdentifier($0) } } == [
                ObjectIdentifier(IdempotencyMiddleware.self),
                ObjectIdentifier(UnitOfWorkMiddleware<EntityContext>.self),
            ]
        )
    }

    @Test func aDispatcherUsesTheIdempotencyOfTheDomain() async throws {
        let builder = builder()
        builder.singleton((any Outlet).self) { QuietOutlet() }
        try builder.validate(.strict)
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        for _ in 1...2 {
            try await IdempotencyMiddleware.withKey("once") { try await dispatcher.dispatch(KeepNote(text: "one")) }
        }

        // Without the key, the second command finds the note.
        #expect(try await store.events(after: 0, limit: 10).map(\.event.name) == [NoteKept.eventName])
        await #expect(throws: StoreError.self) { try await dispatcher.dispatch(KeepNote(text: "one")) }
    }

    @Test func aDispatcherUsesTheUnitOfWorkOfTheDomain() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Outlet).self) { QuietOutlet() }
        builder.domain(store: store, events: [NoteKept.self], handlers: [TellOutlet.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [KeepNoteHandler.self, KeepTwoHandler.self],
            resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
        )
        try builder.validate(.strict)
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        await #expect(throws: StoreError.self) { try await dispatcher.dispatch(KeepTwo(first: "one", second: "one")) }
        #expect(try await EntityContext(store).find(Note.self, id: "one") == nil)
        try await dispatcher.dispatch(KeepTwo(first: "one", second: "two"))

        #expect(try await EntityContext(store).fetch(Note.self).map(\.id).sorted() == ["one", "two"])
    }

    @Test func withinAUnitOfWorkOfATaskEachResolvedContextIsItsContext() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Outlet).self) { QuietOutlet() }
        builder.domain(store: store, events: [NoteKept.self], handlers: [TellOutlet.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [KeepNoteByContextHandler.self, KeepTwoByContextHandler.self],
            queryHandlers: [HasNoteHandler.self],
            resolvedMiddleware: [UnitOfWorkMiddleware<EntityContext>.self]
        )
        try builder.validate(.strict)
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        await #expect(throws: Refused.self) {
            try await dispatcher.dispatch(KeepTwoByContext(first: "one", second: "two", isRefused: true))
        }
        #expect(try await dispatcher.dispatch(HasNote(text: "one")) == false)

        try await dispatcher.dispatch(KeepTwoByContext(first: "one", second: "two", isRefused: false))
        #expect(try await EntityContext(store).fetch(Note.self).map(\.id).sorted() == ["one", "two"])
        #expect(try await store.events(after: 0, limit: 10).count == 2)
    }

    @Test func aHandlerWhoseContextNothingCommitsIsReportedByTheStrictValidation() throws {
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.transient(Notes.init)
        builder.commandQueryDispatch().standard(
            commandHandlers: [KeepNoteByContextHandler.self, KeepNoteInNotesHandler.self, KeepNoteHandler.self],
            queryHandlers: [HasNoteHandler.self]
        )
        try builder.validate()

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.missingUnitOfWork, .missingUnitOfWork])
        #expect(
            error.problems.last?.message == """
                'HeadraceTests.KeepNoteInNotesHandler' → 'HeadraceTests.Notes' → 'HeadraceDomain.EntityContext': no unit of \
                work of the dispatcher commits the changes of this handler of 'HeadraceTests.KeepNoteInNotes', so they are \
                lost. To fix, add 'UnitOfWorkMiddleware<EntityContext>.self' to 'resolvedMiddleware: […]', or let the handler \
                use 'UnitOfWork<EntityContext>' instead.
                """
        )
    }

    @Test func idempotencyCommitsOnlyTheContextsOfCommandsWithAKey() throws {
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.transient(Notes.init)
        builder.commandQueryDispatch().standard(
            commandHandlers: [KeepNoteByContextHandler.self, KeepNoteInNotesHandler.self],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }
        #expect(error.problems.map(\.kind) == [.missingUnitOfWork])
        let message = "'HeadraceTests.KeepNoteByContext', so they are lost unless the command has an idempotency key"
        #expect(error.message.contains(message))
    }

    @Test func outsideOfAUnitOfWorkAndInAChildTaskEachResolvedContextIsNew() async throws {
        let builder = ContainerBuilder()
        builder.domain(store: store)
        let container = builder.build()
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
        let (one, other): (EntityContext, EntityContext) = (container.resolve(), container.resolve())
        #expect(one !== other)

        try await unitOfWork.execute { context in
            context.insert(Note("one"))
            #expect(container.resolve(EntityContext.self) === context)
            async let seen = container.resolve(EntityContext.self).find(Note.self, id: "one")?.id
            let isSeen = try await seen != nil
            #expect(!isSeen)
        }

        #expect(try await one.find(Note.self, id: "one") != nil)
    }

    @Test func aScheduledCommandWhoseHandlerLacksADependencyBecomesADeadLetter() async throws {
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = 1
        let container = builder(relay: configuration).build()
        let relay: Relay = container.resolve()

        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }
            let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
            _ = try await unitOfWork.execute { context in try context.schedule(SendNote(text: "one"), at: Date()) }

            var reasons = watch.reasons.makeAsyncIterator()
            let reason = try #require(await reasons.next())
            #expect(reason.hasPrefix("Nothing is registered for 'HeadraceTests.Outlet', needed by"))
            #expect(reason.contains("HeadraceTests.SendNoteHandler. To fix"))
            relay.shutDown()
            try await group.waitForAll()
        }

        #expect(try await DeadLetters(in: store).page().count == 1)
    }
}

// MARK: - Fixtures

private final class Watch: RelayObserver {
    let reasons: AsyncStream<String>
    private let found: AsyncStream<String>.Continuation

    init() {
        (reasons, found) = AsyncStream.makeStream()
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        found.yield(reason)
    }
}

private protocol Outlet: Sendable {}

private struct QuietOutlet: Outlet {}

private final class Note: StoredEntity {
    static let entityName = "composed-note"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ text: String) {
        id = text
        raiseEvent(NoteKept(text: text))
    }
}

private struct NoteKept: DurableDomainEvent {
    static let eventName = "composed-note-kept"
    var text: String
}

private struct TellOutlet: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "outlet"
    static let dependencies = Dependencies().on((any Outlet).self)

    private let outlet: any Outlet

    init(scope: any DependencyResolutionScope) {
        outlet = scope.resolve()
    }

    func handle(_ event: NoteKept) async throws {}
}

private struct KeepNote: CQDCommand, Codable {
    var text: String
}

private struct KeepNoteHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(UnitOfWork<EntityContext>.self)

    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: KeepNote) async throws {
        try await unitOfWork.execute { context in context.insert(Note(command.text)) }
    }
}

private struct KeepTwo: CQDCommand {
    var first: String
    var second: String
}

private struct KeepTwoHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on((any CommandQueryDispatcher).self)

    private let dispatcher: any CommandQueryDispatcher

    init(scope: any DependencyResolutionScope) {
        dispatcher = scope.resolve()
    }

    func handle(_ command: KeepTwo) async throws {
        try await dispatcher.dispatch(KeepNote(text: command.first))
        try await dispatcher.dispatch(KeepNote(text: command.second))
    }
}

private struct Refused: Error {}

private struct HasNote: CQDQuery {
    typealias Value = Bool
    var text: String
}

private struct HasNoteHandler: HandlesQuery, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ query: HasNote) async throws -> Bool {
        try await context.find(Note.self, id: query.text) != nil
    }
}

private struct KeepNoteByContext: CQDCommand, Codable {
    var text: String
}

private struct KeepNoteByContextHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    func handle(_ command: KeepNoteByContext) async throws {
        context.insert(Note(command.text))
    }
}

private struct KeepTwoByContext: CQDCommand {
    var first: String
    var second: String
    var isRefused: Bool
}

private struct KeepTwoByContextHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(EntityContext.self).on((any CommandQueryDispatcher).self)

    private let context: EntityContext
    private let dispatcher: any CommandQueryDispatcher

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        dispatcher = scope.resolve()
    }

    func handle(_ command: KeepTwoByContext) async throws {
        try await dispatcher.dispatch(KeepNoteByContext(text: command.first))
        guard try await context.find(Note.self, id: command.first) != nil,
            try await dispatcher.dispatch(HasNote(text: command.first))
        else { return }
        context.insert(Note(command.second))
        if command.isRefused { throw Refused() }
    }
}

private struct KeepNoteInNotes: CQDCommand, IdempotentMessage, Encodable {
    var text: String
    var idempotencyKey: String { text }
}

private final class Notes {
    private let context: EntityContext

    init(context: EntityContext) {
        self.context = context
    }

    func keep(_ text: String) { context.insert(Note(text)) }
}

private final class KeepNoteInNotesHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on(Notes.self)

    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: KeepNoteInNotes) async throws { notes.keep(command.text) }
}

private struct SendNote: CQDCommand, DurableCommand {
    static let commandName = "composed-send-note"
    var text: String
}

private struct SendNoteHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies().on((any Outlet).self)

    private let outlet: any Outlet

    init(scope: any DependencyResolutionScope) {
        outlet = scope.resolve()
    }

    func handle(_ command: SendNote) async throws {}
}
