// SPDX-License-Identifier: Apache-2.0

import Headrace
import Synchronization
import Testing

struct MyInfoType {
    var text: String
}

struct GetInfoQuery: CQDQuery {
    typealias Value = MyInfoType

    var subject: String
}

@Resolvable
class GetInfoQueryHandler: HandlesQuery {

    private let api: Api
    private let analytics: AnalyticsEngine

    func handle(_ query: GetInfoQuery) async throws -> MyInfoType {

        analytics.logSearch(subject: query.subject)

        let result = try await api.get("/search?subject=\(query.subject)")

        analytics.logSearch(result: result)

        return result.info
    }
}

struct AddSomethingCommand: CQDCommand {
    // Empty is fine, but fill with data if you need.
}

@Resolvable
class AddSomethingCommandHandler: HandlesCommand {

    private let api: Api
    private let authorisation: AuthorisationEngine

    func handle(_ command: AddSomethingCommand) async throws {

        try await authorisation.ensureAuthorisation(to: .addSomething)

        try await api.post("/something")
    }
}

@MainActor
@Resolvable
class ExampleModel {

    private(set) var displayedError: Error? = nil

    private let dispatcher: CommandQueryDispatcher

    func addSomething() -> Task<Void, Never> {
        Task {
            do {
                try await dispatcher.dispatch(AddSomethingCommand())
            } catch {
                displayedError = error
            }
        }
    }
}

final class MySuperSpecialUniqueDispatcher: CommandQueryDispatcher {

    private let handlers: MyCustomHandlerRegistry

    init(handlers: MyCustomHandlerRegistry) {
        self.handlers = handlers
    }

    func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        try handlers.handle(command)
    }

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        try handlers.handle(query)
    }
}

@Suite(.timeLimit(.minutes(1))) struct CommandQueryDispatchTests {
    private let api = Api()
    private let analytics = AnalyticsEngine()

    @Test func aQueryIsAnsweredByItsHandler() async throws {
        let container = makeContainer()

        let dispatcher: CommandQueryDispatcher = container.resolve()

        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))

        #expect(info.text == "/search?subject=Programming")
        #expect(analytics.lines == ["asked for Programming", "got /search?subject=Programming"])
    }

    @Test @MainActor func aModelReceivesItsDependenciesAndItsCommandIsHandled() async {
        // The dispatcher will be filled by dependency injection when the container resolves an ExampleModel instance.
        let model: ExampleModel = makeContainer().resolve()

        await model.addSomething().value

        #expect(model.displayedError == nil)
        #expect(api.posts == ["/something"])
    }

    @Test @MainActor func aModelShowsTheErrorOfItsCommand() async {
        let model: ExampleModel = makeContainer(allowing: false).resolve()

        await model.addSomething().value

        #expect(model.displayedError is NotAllowed)
        #expect(api.posts == [])
    }

    @Test func aCustomDispatcherReplacesTheStandardDispatcher() async throws {
        let builder: ContainerBuilder = .init()

        builder.transient { MySuperSpecialUniqueDispatcher(handlers: .whatever) }

        let dispatcher: MySuperSpecialUniqueDispatcher = builder.build().resolve()

        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
        #expect(info.text == "whatever")
    }

    private func makeContainer(allowing isAllowed: Bool = true) -> Container {
        let builder: ContainerBuilder = .init()

        builder
            .commandQueryDispatch()
            .standard(
                commandHandlers: [
                    AddSomethingCommandHandler.self
                ],
                queryHandlers: [
                    GetInfoQueryHandler.self
                ]
            )

        let (api, analytics) = (api, analytics)
        builder.singleton { api }
        builder.singleton { analytics }
        builder.transient { AuthorisationEngine(isAllowed: isAllowed) }
        builder.transient(ExampleModel.self)
        return builder.build()
    }
}

// MARK: - The dependencies

final class Api: Sendable {
    struct Result {
        var info: MyInfoType
    }

    private let recorded = Mutex<[String]>([])

    var posts: [String] { recorded.withLock { $0 } }

    func get(_ path: String) async throws -> Result { Result(info: MyInfoType(text: path)) }

    func post(_ path: String) async throws {
        recorded.withLock { $0.append(path) }
    }
}

final class AnalyticsEngine: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func logSearch(subject: String) {
        recorded.withLock { $0.append("asked for \(subject)") }
    }

    func logSearch(result: Api.Result) {
        recorded.withLock { $0.append("got \(result.info.text)") }
    }
}

struct AuthorisationEngine: Sendable {
    enum Task { case addSomething }

    var isAllowed: Bool

    func ensureAuthorisation(to task: Task) async throws {
        if !isAllowed { throw NotAllowed() }
    }
}

struct NotAllowed: Error {}

struct MyCustomHandlerRegistry {
    static let whatever = MyCustomHandlerRegistry()

    func handle(_ command: some CQDCommand) throws {}

    func handle<T: CQDQuery>(_ query: T) throws -> T.Value {
        guard let value = MyInfoType(text: "whatever") as? T.Value else { throw NotAllowed() }
        return value
    }
}
