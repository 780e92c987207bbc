// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import Testing

/// A dispatch stays in the task and on the actor of its caller.
@Suite struct DispatchIsolationTests {
    /// The SwiftData example of CommandQueryDispatch: the handler uses a context of the main actor.
    ///
    /// Neither the context nor the answer nor the handler is `Sendable`.
    @Test @MainActor func aHandlerCalledFromTheMainActorRunsOnItWithNonSendableValues() async throws {
        // Sound, because the container is resolved from in this function alone, on the main actor.
        nonisolated(unsafe) let context = ModelContext()
        let contracts = container(
            commandHandlers: [AddEntityHandler.self],
            queryHandlers: [GetFirstEntityHandler.self]
        ) { builder in
            builder.transient { unsafe context }
        }
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(AddEntity(name: "first"))
        let entity = try await dispatcher.dispatch(GetFirstEntity())
        entity.name += ", renamed"

        #expect(unsafe context.entities.map(\.name) == ["first, renamed"])
        #expect(unsafe context.threads == ["main actor", "main actor"])
    }

    @Test func aHandlerCalledFromAnActorRunsOnIt() async throws {
        let contracts = container(queryHandlers: [WhereAmIHandler.self])
        let counter = Caller(dispatcher: contracts.resolve())

        #expect(try await counter.isAnsweredOnItself())
    }

    @Test func aHandlerCalledFromNoActorRunsOnNoActor() async throws {
        let dispatcher: any CommandQueryDispatcher = container(queryHandlers: [WhereAmIHandler.self]).resolve()

        let place = try await dispatcher.dispatch(WhereAmI())

        #expect(place.isolation == nil)
    }

    @Test func aHandlerSeesTheTaskLocalsOfItsCaller() async throws {
        let dispatcher: any CommandQueryDispatcher = container(queryHandlers: [WhoAmIHandler.self]).resolve()

        let name = try await User.$name.withValue("Ada") { try await dispatcher.dispatch(WhoAmI()) }

        #expect(name == "Ada")
    }

    @Test(.timeLimit(.minutes(2)))
    func cancellingTheCallerCancelsTheHandlerAtWork() async throws {
        let (began, begin) = AsyncStream<Void>.makeStream()
        let contracts = container(commandHandlers: [WaitForCancellationHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let dispatching = Task { try await dispatcher.dispatch(WaitForCancellation(begun: begin)) }
        for await _ in began { break }
        dispatching.cancel()

        await #expect(throws: CancellationError.self) { try await dispatching.value }
        #expect(contracts.resolve(Journal.self).entries == ["cancelled"])
    }
}

// MARK: - A stand-in for SwiftData

/// Like SwiftData's: not `Sendable`, and used where it was made.
private final class ModelContext {
    var entities: [Entity] = []
    var threads: [String] = []

    func insert(_ entity: Entity) {
        entities.append(entity)
    }
}

private final class Entity {
    var name: String

    init(name: String) {
        self.name = name
    }
}

private struct AddEntity: CQDCommand {
    var name: String
}

private final class AddEntityHandler: HandlesCommand, Resolvable {
    private let modelContext: ModelContext

    init(scope: any DependencyResolutionScope) {
        modelContext = scope.resolve()
    }

    func handle(_ command: AddEntity) async throws {
        modelContext.threads.append(place(#isolation))
        modelContext.insert(Entity(name: command.name))
    }
}

private struct GetFirstEntity: CQDQuery {
    typealias Value = Entity
}

private final class GetFirstEntityHandler: HandlesQuery, Resolvable {
    private struct NotFound: Error {}

    private let modelContext: ModelContext

    init(scope: any DependencyResolutionScope) {
        modelContext = scope.resolve()
    }

    func handle(_ query: GetFirstEntity) async throws -> Entity {
        modelContext.threads.append(place(#isolation))
        guard let first = modelContext.entities.first else { throw NotFound() }
        return first
    }
}

/// The static isolation, confirmed by the executor.
private func place(_ isolation: (any Actor)?) -> String {
    guard isolation === MainActor.shared else { return "elsewhere" }
    MainActor.preconditionIsolated()
    return "main actor"
}

// MARK: - Places

private struct WhereAmI: CQDQuery {
    typealias Value = Place
}

private struct Place {
    let isolation: (any Actor)?
}

private final class WhereAmIHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: WhereAmI) async throws -> Place {
        Place(isolation: #isolation)
    }
}

private actor Caller {
    private let dispatcher: any CommandQueryDispatcher

    init(dispatcher: any CommandQueryDispatcher) {
        self.dispatcher = dispatcher
    }

    func isAnsweredOnItself() async throws -> Bool {
        try await dispatcher.dispatch(WhereAmI()).isolation === self
    }
}

private enum User {
    @TaskLocal static var name = "nobody"
}

private struct WhoAmI: CQDQuery {
    typealias Value = String
}

private final class WhoAmIHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: WhoAmI) async throws -> String { User.name }
}

private struct WaitForCancellation: CQDCommand {
    var begun: AsyncStream<Void>.Continuation
}

private final class WaitForCancellationHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: WaitForCancellation) async throws {
        command.begun.yield()
        // The stream has no elements. It ends when the task is cancelled.
        let (never, continuation) = AsyncStream<Never>.makeStream()
        defer { continuation.finish() }
        for await _ in never {}
        journal.record("cancelled")
        try Task.checkCancellation()
    }
}
