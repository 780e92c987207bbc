// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import Synchronization
import Testing

/// Both usages of the CommandQueryDispatch package: the standard dispatcher, and a custom dispatcher.
@Suite struct StandardUsageTests {
    @Test func aDispatcherResolvedInlineAnswersAQuery() async throws {
        let contracts = library()

        let dispatcher: any CommandQueryDispatcher = contracts.resolve()
        let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))

        #expect(info.title == "All about Programming")
        #expect(contracts.resolve(Analytics.self).searches.withLock(\.self) == ["Programming"])
    }

    @Test func aModelGetsTheDispatcherInjectedAndDispatchesACommand() async throws {
        let contracts = library()

        let model: ExampleModel = contracts.resolve()
        await model.addSomething(named: "a book")

        #expect(model.displayedError == nil)
        #expect(contracts.resolve((any Api).self).posts == ["a book"])
    }

    @Test func aModelShowsTheErrorOfTheHandler() async throws {
        let contracts = library(isAllowed: false)

        let model: ExampleModel = contracts.resolve()
        await model.addSomething(named: "a book")

        #expect(model.displayedError is NotAllowed)
        #expect(contracts.resolve((any Api).self).posts.isEmpty)
    }

    private func library(isAllowed: Bool = true) -> Container {
        let builder = ContainerBuilder()

        builder.singleton((any Api).self) { FakeApi() }
        builder.singleton { Analytics() }
        builder.transient { Authorisation(isAllowed: isAllowed) }
        builder.transient(ExampleModel.self)
        builder
            .commandQueryDispatch()
            .standard(
                commandHandlers: [
                    AddSomethingHandler.self
                ],
                queryHandlers: [
                    GetInfoHandler.self
                ]
            )

        return builder.build()
    }
}

@Suite struct NonStandardUsageTests {
    @Test func aCustomDispatcherIsRegisteredAndUsedLikeTheStandardDispatcher() async throws {
        let builder = ContainerBuilder()
        let journal = Journal()
        builder.transient((any CommandQueryDispatcher).self) { SpecialDispatcher(journal: journal, answers: [7]) }
        let contracts = builder.build()

        let dispatcher: any CommandQueryDispatcher = contracts.resolve()
        try await dispatcher.dispatch(AddSomething(name: "a book"))
        let answer = try await dispatcher.dispatch(Lottery())

        #expect(journal.entries == ["AddSomething"])
        #expect(answer == 7)
    }

    @Test func aStatefulDispatcherCanBeASingletonOrScoped() async throws {
        let builder = ContainerBuilder()
        builder.singleton { SpecialDispatcher(journal: Journal(), answers: [1, 2, 3]) }
        builder.scoped((any CommandQueryDispatcher).self) {
            SpecialDispatcher(journal: Journal(), answers: [10, 20, 30])
        }
        let contracts = builder.build()

        var drawn: [Int] = []
        for scope in [contracts.scope(), contracts.scope()] {
            for _ in 0..<2 {
                let scoped: any CommandQueryDispatcher = scope.resolve()
                drawn.append(try await scoped.dispatch(Lottery()))
            }
            drawn.append(try await scope.resolve(SpecialDispatcher.self).dispatch(Lottery()))
        }

        #expect(drawn == [10, 20, 1, 10, 20, 2])
    }

    @Test func aModelWorksWithAnyDispatcher() async {
        let builder = ContainerBuilder()
        let journal = Journal()
        builder.transient((any CommandQueryDispatcher).self) { SpecialDispatcher(journal: journal, answers: []) }
        builder.transient(ExampleModel.self)

        await builder.build().resolve(ExampleModel.self).addSomething(named: "a book")

        #expect(journal.entries == ["AddSomething"])
    }
}

// MARK: - The application of the seed

/// The model of the screens.
private final class ExampleModel: Resolvable {
    private(set) var displayedError: (any Error)?

    private let dispatcher: any CommandQueryDispatcher

    init(scope: any DependencyResolutionScope) {
        dispatcher = scope.resolve()
    }

    func addSomething(named name: String) async {
        do {
            try await dispatcher.dispatch(AddSomething(name: name))
        } catch {
            displayedError = error
        }
    }
}

private struct GetInfo: CQDQuery {
    typealias Value = Info

    var subject: String
}

private struct Info {
    var title: String
}

private final class GetInfoHandler: HandlesQuery, Resolvable {
    private let api: any Api
    private let analytics: Analytics

    init(scope: any DependencyResolutionScope) {
        api = scope.resolve()
        analytics = scope.resolve()
    }

    func handle(_ query: GetInfo) async throws -> Info {
        analytics.searches.withLock { $0.append(query.subject) }
        return Info(title: try await api.title(of: query.subject))
    }
}

private struct AddSomething: CQDCommand {
    var name: String
}

private final class AddSomethingHandler: HandlesCommand, Resolvable {
    private let api: any Api
    private let authorisation: Authorisation

    init(scope: any DependencyResolutionScope) {
        api = scope.resolve()
        authorisation = scope.resolve()
    }

    func handle(_ command: AddSomething) async throws {
        try await authorisation.ensureAllowed()
        try await api.post(command.name)
    }
}

private protocol Api: Sendable {
    var posts: [String] { get }
    func title(of subject: String) async throws -> String
    func post(_ name: String) async throws
}

private final class FakeApi: Api {
    private let posted = Mutex<[String]>([])

    var posts: [String] { posted.withLock(\.self) }

    func title(of subject: String) async throws -> String { "All about \(subject)" }

    func post(_ name: String) async throws {
        posted.withLock { $0.append(name) }
    }
}

private final class Analytics: Sendable {
    let searches = Mutex<[String]>([])
}

private struct NotAllowed: Error {}

private final class Authorisation {
    private let isAllowed: Bool

    init(isAllowed: Bool) {
        self.isAllowed = isAllowed
    }

    func ensureAllowed() async throws {
        guard isAllowed else { throw NotAllowed() }
    }
}

private struct Lottery: CQDQuery {
    typealias Value = Int
}

/// Answers queries from a list, and records commands.
private final class SpecialDispatcher: CommandQueryDispatcher {
    private let journal: Journal
    private let answers: Mutex<[Int]>

    init(journal: Journal, answers: [Int]) {
        self.journal = journal
        self.answers = Mutex(answers)
    }

    func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        journal.record("\(T.self)")
    }

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        let answer = answers.withLock { $0.removeFirst() }
        return try #require(answer as? T.Value)
    }
}
