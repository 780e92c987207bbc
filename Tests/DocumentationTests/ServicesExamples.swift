// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceServices
import HeadraceStorage
import HeadraceTesting
import Logging
import Testing

private enum StartUpAction: Action { case appDidCompleteLaunching }
private enum IdentityAction: Action { case logIn(name: String), logOut }
private enum ArticlesAction: Action { case reload }
private enum ErrorAction: Action { case error(any Error) }

private struct LogIn: Action {
    let name: String
}

private struct NoName: Error {}

private actor IdentityModel {
    private(set) var name: String?

    func apply(_ action: IdentityAction) throws {
        switch action {
        case .logIn(let name): try logIn(name)
        case .logOut: name = nil
        }
    }

    func logIn(_ name: String) throws {
        if name.isEmpty { throw NoName() }
        self.name = name
    }
}

private actor ArticlesModel {
    private(set) var loads = 0
    let reloads: AsyncStream<Void>
    private let reloaded: AsyncStream<Void>.Continuation

    init() {
        (reloads, reloaded) = AsyncStream.makeStream()
    }

    func reload() {
        loads += 1
        reloaded.yield()
    }
}

private struct ArticlesService: Service {
    var body: some Service {
        Store(model: ArticlesModel.self)
            .mutate(on: ArticlesAction.self) { model, action, send in
                await model.reload()
            }
    }
}

// MARK: - Trees

private enum Whole {
    struct IdentityService: Service {
        var body: some Service {
            Store(model: IdentityModel.self)
                .mutate(on: IdentityAction.self) { model, action, send in
                    try await model.apply(action)
                }
                .mutate(on: StartUpAction.self) { model, action, send in
                    try await send(action: ArticlesAction.reload)
                }
        }
    }

    static func example(
        _ identityModel: IdentityModel,
        _ articlesModel: ArticlesModel,
        notifications: AsyncStream<IdentityAction>,
        logger: Logger
    ) async throws -> Bootstrap {
        let cluster = try await Bootstrap {
            Group {
                IdentityService()
                    .with(model: identityModel)
                ArticlesService()
                    .with(model: articlesModel)
            }
            .emit(using: notifications)
            .transformError { ErrorAction.error($0) }
            .observe { logger.debug("\($0)") }
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        return cluster
    }
}

private struct IdentityService: Service {
    var body: some Service {
        Store(model: IdentityModel.self)
            .mutate(on: IdentityAction.self) { model, action, send in
                try await model.apply(action)
            }
    }
}

private struct LogInService: Service {
    var body: some Service {
        Store(model: IdentityModel.self)
            .mutate(on: LogIn.self) { model, action, send in
                try await model.logIn(action.name)
                try await send(action: ArticlesAction.reload)
            }
    }
}

private struct Increment: Action {
    var amount = 1
}

private struct CounterModel {
    var count = 0
}

@Suite(.timeLimit(.minutes(2))) struct ServiceExamples {
    private let identityModel = IdentityModel()
    private let articlesModel = ArticlesModel()

    @Test func aTreeAcceptsActionsFromOutsideAndInside() async throws {
        let (notifications, source) = AsyncStream<IdentityAction>.makeStream()

        let cluster = try await Whole.example(
            identityModel,
            articlesModel,
            notifications: notifications,
            logger: Logger(label: "examples")
        )
        #expect(await articlesModel.loads == 1)
        try await cluster.send(action: IdentityAction.logIn(name: ""))

        source.yield(.logIn(name: "Ada"))
        source.finish()
        await cluster.shutDown()
        #expect(await identityModel.name == "Ada")
    }

    @Test func aServiceReceivesItsModelFromOutside() async throws {
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: identityModel)
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))

        #expect(await identityModel.name == "Ada")
    }

    @Test func aHandlerSendsAnotherAction() async throws {
        let cluster = try await Bootstrap {
            LogInService()
                .with(model: identityModel)
            ArticlesService()
                .with(model: articlesModel)
        }

        try await cluster.send(action: LogIn(name: "Ada"))

        #expect(await identityModel.name == "Ada")
        #expect(await articlesModel.loads == 1)
    }

    @Test func aModifierOfAGroupAppliesToAllItsServices() async throws {
        let cluster = try await Bootstrap {
            Group {
                IdentityService()
                ArticlesService()
            }
            .serial()
            .with(model: identityModel)
            .with(model: articlesModel)
        }

        try await cluster.send(action: ArticlesAction.reload)

        #expect(await articlesModel.loads == 1)
    }

    @Test func aValueModelIsMutatedInPlace() async throws {
        let notes = Notes()
        let cluster = try await Bootstrap {
            Store(model: CounterModel.self)
                .mutate(on: Increment.self) { model, action, send in
                    model.count += action.amount
                }
                .with(model: CounterModel())
                .observe(on: Increment.self) { model, action in notes.note("\(model.count)") }
        }

        try await cluster.send(action: Increment(amount: 3))
        try await cluster.send(action: Increment())

        #expect(notes.all == ["3", "4"])
    }

    @Test func theTreeIsDrawn() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString).mmd")
        defer { try? FileManager.default.removeItem(at: file) }
        let cluster = try await Bootstrap {
            ArticlesService()
                .with(model: articlesModel)
        }

        try cluster.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)

        #expect(try String(contentsOf: file, encoding: .utf8).contains("ArticlesService"))
    }
}

// MARK: - What comes from a log, and what goes on as commands

private struct ArticlePublished: DurableDomainEvent {
    static let eventName = "article-published"
}

private struct CheckOut: Action {
    let orderID: Int
}

private struct PlaceOrder: CQDCommand, Equatable {
    let id: Int
}

private struct CartService: Service {
    var body: some Service { Group {} }
}

@Suite(.timeLimit(.minutes(2))) struct ServiceConnectionExamples {
    @Test func aStoredEventBecomesAnAction() async throws {
        let store = try InMemoryStore(entities: [])
        let past = Date(timeIntervalSince1970: 0)
        let event = NewEvent(
            id: UUID(),
            name: ArticlePublished.eventName,
            version: 1,
            stream: nil,
            recordedAt: past,
            json: Data("{}".utf8)
        )
        try await store.commit(ChangeSet(events: [event]))
        let articlesModel = ArticlesModel()
        let position: Int64 = 0

        let cluster = try await Bootstrap {
            ArticlesService()
                .emit(
                    using: ActionFeed(after: position) { position in
                        try await store.events(after: position, limit: 100)
                    } position: {
                        $0.position
                    } action: { record in
                        record.event.name == "article-published" ? ArticlesAction.reload : nil
                    }
                )
                .with(model: articlesModel)
        }

        for await _ in articlesModel.reloads { break }
        #expect(await articlesModel.loads == 1)
        await cluster.shutDown()
    }

    @Test func anActionDispatchesACommand() async throws {
        let dispatcher = RecordingDispatcher()
        let cluster = try await Bootstrap {
            CartService()
                .dispatch(on: CheckOut.self) { action in
                    PlaceOrder(id: action.orderID)
                } with: { command in
                    try await dispatcher.dispatch(command)
                }
        }

        try await cluster.send(action: CheckOut(orderID: 7))

        try dispatcher.requireDispatched(PlaceOrder(id: 7))
    }
}

// MARK: - The environment

private enum RetriesKey: ServiceEnvironmentKey {
    static let defaultValue = 3
}

extension ServiceEnvironmentValues {
    var retries: Int {
        get { self[RetriesKey.self] }
        set { self[RetriesKey.self] = newValue }
    }
}

private enum ArchiveKey: ServiceEnvironmentKey {
    static let defaultValue: Archive? = nil
}

extension ServiceEnvironmentValues {
    fileprivate var archive: Archive? {
        get { self[ArchiveKey.self] }
        set { self[ArchiveKey.self] = newValue }
    }
}

private actor Archive {
    private(set) var readings: [Int] = []

    func read(attempts: Int) { readings.append(attempts) }
}

@Suite struct EnvironmentExamples {
    private struct ArticlesService: Service {
        @Environment(\.retries) private var retries
        @Environment(\.archive) private var archive: Archive

        var body: some Service {
            Group {}
                .pre(on: ArticlesAction.self) { _ in await archive.read(attempts: retries) }
        }
    }

    @Test func environmentValuesReachTheServicesBelow() async throws {
        let archive = Archive()
        let cluster = try await Bootstrap {
            ArticlesService()
                .environment(\.archive, archive)
            ArticlesService()
                .environment(\.retries, 5)
                .environment(\.archive, archive)
        }

        try await cluster.send(action: ArticlesAction.reload)

        #expect(await archive.readings.sorted() == [3, 5])
    }
}
