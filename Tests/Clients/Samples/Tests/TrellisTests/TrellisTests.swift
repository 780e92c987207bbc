// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceServices
import Synchronization
import Testing

enum StartUpAction: Action { case appDidCompleteLaunching }
enum IdentityAction: Action { case logIn(name: String), logOut }
enum ArticlesAction: Action { case reload }
enum ErrorAction: Action { case error(any Error) }

struct NoName: Error {}

actor IdentityModel {
    private(set) var name: String?
    private(set) var isStarted = false

    func start() { isStarted = true }

    func apply(_ action: IdentityAction) throws {
        switch action {
        case .logIn(let name) where name.isEmpty: throw NoName()
        case .logIn(let name): self.name = name
        case .logOut: name = nil
        }
    }
}

actor ArticlesModel {
    private(set) var isStarted = false
    private(set) var reloads = 0

    func start() { isStarted = true }

    func reload() { reloads += 1 }
}

// IdentityService.swift
struct IdentityService: Service {
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

@Suite(.timeLimit(.minutes(1))) struct TrellisTests {
    private let identityModel = IdentityModel()
    private let articlesModel = ArticlesModel()

    @Test func theClusterOfTheFirstSampleSendsEachActionToItsServices() async throws {
        let (notificationsStream, notifications) = AsyncStream.makeStream(of: IdentityAction.self)
        let observed = Notes()
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
                    .mutate(on: StartUpAction.self) { model, action, send in
                        await model.start()
                    }
                    .with(model: articlesModel)
            }
            .emit(using: notificationsStream)
            .transformError {
                ErrorAction.error($0)
            }
            .observe(on: IdentityAction.self) {
                observed.append("identity")
            }
        }

        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))

        #expect(await identityModel.isStarted)
        #expect(await articlesModel.isStarted)
        #expect(await identityModel.name == "Ada")
        #expect(observed.lines == ["identity"])

        notifications.yield(.logOut)
        notifications.finish()
        await cluster.shutDown()
        #expect(await identityModel.name == nil)
    }

    @Test func aServiceReceivesItsModelFromOutside() async throws {
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: identityModel)
        }

        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))

        #expect(await identityModel.name == "Ada")
    }

    @Test func anErrorBecomesAnAction() async throws {
        let shown = Notes()
        let cluster = try await Bootstrap {
            Group {
                IdentityService()
                    .with(model: identityModel)
            }
            .transformError {
                ErrorAction.error($0)
            }
            .observe { shown.append("\(type(of: $0))") }
        }

        try await cluster.send(action: IdentityAction.logIn(name: ""))

        #expect(shown.lines.contains("ErrorAction"))
    }

    @Test func aRecordingSendReceivesTheActionsOfAService() async throws {
        let sent = Notes()
        let recordingSend = Send { sent.append("\($0)") }
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: identityModel)
                .environment(\.send, recordingSend)
        }

        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)

        #expect(await identityModel.isStarted)
        #expect(sent.lines == ["reload"])
    }

    @Test func allModifiersOfTheListExist() async throws {
        let notes = Notes()
        let emitted = AsyncStream<IdentityAction> { continuation in
            continuation.yield(.logIn(name: "Ada"))
            continuation.finish()
        }
        let cluster = try await Bootstrap {
            Group {
                Store(model: IdentityModel.self)
                    .mutate(on: IdentityAction.self) { model, action, send in
                        try await model.apply(action)
                    }
                    .bootstrap { notes.append("bootstrap") }
            }
            .concurrent()
            .observe { _ in notes.append("observe") }
            .emit(using: emitted, consumeAtBootstrap: true)
            .transformError { ErrorAction.error($0) }
            .with(model: identityModel)
            .serial()
        }

        #expect(notes.lines == ["bootstrap", "observe"])
        #expect(await identityModel.name == "Ada")
        await cluster.shutDown()
    }
}

final class Notes: Sendable {
    private let noted = Mutex<[String]>([])

    var lines: [String] { noted.withLock { $0 } }

    func append(_ line: String) {
        noted.withLock { $0.append(line) }
    }
}
