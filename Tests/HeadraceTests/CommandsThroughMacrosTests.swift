// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import Testing

// CommandQueryDispatch's standard usage, with `import Headrace` only: `@Resolvable` writes the initializers of handlers and a model.

private protocol Api: Sendable {
    func get(_ path: String) async throws -> String
}

private struct EchoingApi: Api {
    func get(_ path: String) async throws -> String { "answer to \(path)" }
}

private struct GetInfoQuery: CQDQuery {
    typealias Value = String
    var subject: String
}

@Resolvable
private final class GetInfoQueryHandler: HandlesQuery {
    private let api: any Api

    func handle(_ query: GetInfoQuery) async throws -> String {
        try await api.get("/search?subject=\(query.subject)")
    }
}

private struct RefusedCommand: CQDCommand {}

private struct Refusal: Error {}

@Resolvable
private final class RefusedCommandHandler: HandlesCommand {
    private let api: any Api

    func handle(_ command: RefusedCommand) async throws {
        throw Refusal()
    }
}

@Resolvable
@MainActor
private final class ExampleModel {
    private(set) var displayedError: (any Error)? = nil
    private let dispatcher: any CommandQueryDispatcher

    func addSomething() async {
        do {
            try await dispatcher.dispatch(RefusedCommand())
        } catch {
            displayedError = error
        }
    }
}

@Suite struct CommandsThroughMacrosTests {
    private let container: Container = {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { EchoingApi() }
        builder.commandQueryDispatch().standard(
            commandHandlers: [RefusedCommandHandler.self],
            queryHandlers: [GetInfoQueryHandler.self]
        )
        return builder.build()
    }()

    @Test func aHandlerFromTheContainerAnswersAQuery() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))

        #expect(info == "answer to /search?subject=Programming")
    }

    @MainActor
    @Test func aMainActorModelResolvesItsDispatcherAndReceivesTheErrorUnwrapped() async throws {
        let model = ExampleModel(scope: container)

        await model.addSomething()

        #expect(model.displayedError is Refusal)
    }
}
#endif
