// SPDX-License-Identifier: Apache-2.0

import Headrace
import OpenCombine
import Synchronization
import Testing

/// The usage of most applications: handlers with `@Resolvable`, and the standard dispatcher.
@Suite struct StandardUsageTests {
    @Test func aDispatcherResolvedInlineAnswersAQuery() async throws {
        let container = makeContainer()

        let dispatcher: CommandQueryDispatcher = container.resolve()

        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))

        #expect(info.text == "/search?subject=Programming")
        #expect(container.resolve(AnalyticsEngine.self).lines == ["searches for Programming", "found 1"])
    }

    @Test @MainActor func aModelReceivesTheDispatcherAndPublishesErrors() async {
        let container = makeContainer(allowing: [])
        let model: ExampleModel = container.resolve()
        let errors = AsyncStream<Error> { continuation in
            model.subscription = model.$displayedError.sink { if let error = $0 { continuation.yield(error) } }
        }

        model.addSomething()

        for await error in errors {
            #expect(error as? NotAllowed == NotAllowed(task: .addSomething))
            break
        }
    }

    @Test func aCommandIsHandled() async throws {
        let container = makeContainer()
        let dispatcher: CommandQueryDispatcher = container.resolve()

        try await dispatcher.dispatch(AddSomethingCommand())
        try await dispatcher.dispatch(AddOtherThingCommand(name: "lamp"))

        #expect(container.resolve(RecordingApi.self).posts == ["/something", "/other/lamp"])
        #expect(try await dispatcher.dispatch(CountPostsQuery()) == 2)
    }

    @Test func theCompositionIsCheckedBeforeTheFirstMessage() throws {
        try makeContainer().validate()
    }
}

private func makeContainer(allowing tasks: Set<AuthorisationEngine.Task> = [.addSomething]) -> Container {
    let builder: ContainerBuilder = .init()

    builder
        .commandQueryDispatch()
        .standard(
            commandHandlers: [
                AddSomethingCommandHandler.self,
                AddOtherThingCommandHandler.self,
            ],
            queryHandlers: [
                GetInfoQueryHandler.self,
                CountPostsQueryHandler.self,
            ],
            messages: [
                AddSomethingCommand.self,
                AddOtherThingCommand.self,
                GetInfoQuery.self,
                CountPostsQuery.self,
            ]
        )

    builder.singleton { RecordingApi() }
    builder.transient(Api.self) { $0.resolve(RecordingApi.self) }
    builder.singleton { AnalyticsEngine() }
    builder.transient { AuthorisationEngine(allowed: tasks) }
    builder.transient(ExampleModel.self)

    return builder.build()
}

// MARK: - The model

@MainActor
@Resolvable
class ExampleModel {
    @Published private(set) var displayedError: Error? = nil
    var subscription: AnyCancellable?

    private let dispatcher: CommandQueryDispatcher

    func addSomething() {
        Task {
            do {
                try await dispatcher.dispatch(AddSomethingCommand())
            } catch {
                displayedError = error
            }
        }
    }
}

// MARK: - Queries

struct GetInfoQuery: CQDQuery {
    typealias Value = MyInfoType

    var subject: String
}

struct MyInfoType {
    var text: String
}

@Resolvable
class GetInfoQueryHandler: HandlesQuery {
    private let api: Api
    private let analytics: AnalyticsEngine

    func handle(_ query: GetInfoQuery) async throws -> MyInfoType {
        analytics.logSearch(subject: query.subject)

        let results = try await api.get("/search?subject=\(query.subject)")

        analytics.logSearch(results: results)

        return MyInfoType(text: results.joined())
    }
}

struct CountPostsQuery: CQDQuery {
    typealias Value = Int
}

@Resolvable
struct CountPostsQueryHandler: HandlesQuery {
    private let api: RecordingApi

    func handle(_ query: CountPostsQuery) async throws -> Int { api.posts.count }
}

// MARK: - Commands

struct AddSomethingCommand: CQDCommand {}

@Resolvable
class AddSomethingCommandHandler: HandlesCommand {
    private let api: Api
    private let authorisation: AuthorisationEngine

    func handle(_ command: AddSomethingCommand) async throws {
        try await authorisation.ensureAuthorisation(to: .addSomething)

        try await api.post("/something")
    }
}

struct AddOtherThingCommand: CQDCommand {
    var name: String
}

@Resolvable
class AddOtherThingCommandHandler: HandlesCommand {
    private let api: Api

    func handle(_ command: AddOtherThingCommand) async throws {
        try await api.post("/other/\(command.name)")
    }
}

// MARK: - The dependencies of the handlers

protocol Api: Sendable {
    func get(_ path: String) async throws -> [String]
    func post(_ path: String) async throws
}

final class RecordingApi: Api {
    private let recorded = Mutex<[String]>([])

    var posts: [String] { recorded.withLock { $0 } }

    func get(_ path: String) async throws -> [String] { [path] }

    func post(_ path: String) async throws {
        recorded.withLock { $0.append(path) }
    }
}

final class AnalyticsEngine: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func logSearch(subject: String) {
        recorded.withLock { $0.append("searches for \(subject)") }
    }

    func logSearch(results: [String]) {
        recorded.withLock { $0.append("found \(results.count)") }
    }
}

struct NotAllowed: Error, Equatable {
    var task: AuthorisationEngine.Task
}

struct AuthorisationEngine {
    enum Task { case addSomething }

    var allowed: Set<Task>

    func ensureAuthorisation(to task: Task) async throws {
        if !allowed.contains(task) { throw NotAllowed(task: task) }
    }
}
