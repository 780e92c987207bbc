// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Synchronization
import Testing

private enum StartUpAction: Action, Equatable { case appDidCompleteLaunching }
private enum IdentityAction: Action, Equatable { case logIn(name: String), logOut }
private enum ArticlesAction: Action, Equatable { case reload }
private enum ErrorAction: Action { case error(any Error) }

private actor IdentityModel {
    private(set) var name: String?
    private(set) var isReady = false

    init(name: String? = nil) { self.name = name }

    func apply(_ action: IdentityAction) throws {
        switch action {
        case .logIn(let name) where name.isEmpty: throw TestFailure("no name")
        case .logIn(let name): self.name = name
        case .logOut: name = nil
        }
    }

    func start() { isReady = true }
}

private actor ArticlesModel {
    private(set) var loads = 0

    func reload() { loads += 1 }
}

private struct IdentityService: Service {
    var body: some Service {
        Store(model: IdentityModel.self)
            .mutate(on: IdentityAction.self) { model, action, send in
                try await model.apply(action)
            }
            .mutate(on: StartUpAction.self) { model, action, send in
                await model.start()
                try await send(action: ArticlesAction.reload)
            }
    }
}

/// The examples of the Trellis README, compiled and run.
@Suite(.timeLimit(.minutes(2))) struct SeedSampleTests {
    @Test func theClusterOfTheSeedWorks() async throws {
        let identityModel = IdentityModel()
        let articlesModel = ArticlesModel()
        let observed = Journal()
        let (notificationsStream, notifications) = AsyncStream.makeStream(of: IdentityAction.self)

        let cluster = try await Bootstrap {
            Group {
                Store(model: IdentityModel.self)
                    .mutate(on: IdentityAction.self) { model, action, send in
                        try await model.apply(action)
                    }
                    .mutate(on: StartUpAction.self) { model, action, send in
                        await model.start()
                    }
                    .with(model: identityModel)
                Store(model: ArticlesModel.self)
                    .mutate(on: ArticlesAction.self) { model, action, send in
                        await model.reload()
                    }
                    .with(model: articlesModel)
            }
            .emit(using: notificationsStream)
            .transformError {
                ErrorAction.error($0)
            }
            .observe(on: IdentityAction.self) {
                observed.note("identity")
            }
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))
        try await cluster.send(action: ArticlesAction.reload)
        try await cluster.send(action: IdentityAction.logIn(name: ""))

        #expect(await identityModel.isReady)
        #expect(await identityModel.name == "Ada")
        #expect(await articlesModel.loads == 1)
        #expect(observed.entries == ["identity", "identity"])

        notifications.yield(.logOut)
        notifications.finish()
        await cluster.shutDown()
        #expect(await identityModel.name == nil)
        #expect(observed.entries == ["identity", "identity", "identity"])
    }

    @Test func everyModifierOfTheSeedIsOneLine() async throws {
        let journal = Journal()
        let (stream, actions) = AsyncStream.makeStream(of: IdentityAction.self)
        actions.yield(.logIn(name: "Ada"))
        actions.finish()
        let identityModel = IdentityModel()

        let cluster = try await Bootstrap {
            Group {
                IdentityService()
                    .bootstrap { journal.note("bootstrap") }
                Group {}
                    .observe { action in journal.note("second \(action)") }
            }
            .serial()
            .concurrent()
            .emit(using: stream, consumeAtBootstrap: true)
            .transformError { error in ErrorAction.error(error) }
            .observe { action in journal.note("all \(action)") }
            .with(model: identityModel)
        }

        let action = #"logIn(name: "Ada")"#
        #expect(journal.entries == ["bootstrap", "second \(action)", "all \(action)"])
        withExtendedLifetime(cluster) {}
    }

    @Test func aTransformationThatThrowsFailsTheSend() async throws {
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: IdentityModel())
                .transformError { (_: any Error) -> ErrorAction in throw TestFailure("transformed") }
        }

        await #expect(throws: TestFailure("transformed")) {
            try await cluster.send(action: IdentityAction.logIn(name: ""))
        }
    }

    @Test func aClosureRecordsWhatTheServicesUnderTestSend() async throws {
        let mockedIdentityModel = IdentityModel()
        let recorded = Mutex<[any Action]>([])
        let recordingSend: @Sendable (any Action) async throws -> Void = { action in
            recorded.withLock { $0.append(action) }
        }

        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: mockedIdentityModel)
                .environment(\.send, recordingSend)
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)

        #expect(await mockedIdentityModel.isReady)
        #expect(recorded.withLock { $0.map { $0 as? ArticlesAction } } == [.reload])
    }

    @Test func aFunctionRecordsWhatTheServicesUnderTestSend() async throws {
        let journal = Journal()
        @Sendable func recordingSend(_ action: any Action) { journal.note("\(action)") }

        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: IdentityModel())
                .environment(\.send, recordingSend)
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)

        #expect(journal.entries == ["reload"])
    }

    @Test func anErrorOfTheRecordingClosureReachesTheHandler() async throws {
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: IdentityModel())
                .environment(\.send) { _ in throw TestFailure("not sent") }
        }

        await #expect(throws: TestFailure("not sent")) {
            try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        }
    }

    @Test func aCustomServiceReceivesItsModelFromOutside() async throws {
        let identityModel = IdentityModel()

        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: identityModel)
        }
        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))

        #expect(await identityModel.name == "Ada")
    }
}
