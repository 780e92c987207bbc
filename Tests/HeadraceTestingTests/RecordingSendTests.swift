// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

private enum StartUpAction: Action, Equatable { case appDidCompleteLaunching }
private enum ArticlesAction: Action, Equatable { case reload }

private protocol Identity: Sendable {
    func start() async
}

private actor MockedIdentity: Identity {
    private(set) var starts = 0

    func start() { starts += 1 }
}

private struct IdentityService: Service {
    var body: some Service {
        Store(model: (any Identity).self)
            .mutate(on: StartUpAction.self) { model, action, send in
                await model.start()
                try await send(action: ArticlesAction.reload)
            }
    }
}

private struct CounterService: Service {
    var body: some Service {
        Store(model: Int.self)
            .mutate(on: StartUpAction.self) { model, _, _ in model += 1 }
    }
}

/// Tests of services with a mocked model, a recording send, and a model probe.
@Suite(.timeLimit(.minutes(2))) struct RecordingSendTests {
    private struct Refused: Error {}

    @Test func aServiceIsTestedWithAMockedModelAndARecordingSend() async throws {
        let mockedIdentityModel = MockedIdentity()
        let recordingSend = RecordingSend()

        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: mockedIdentityModel)
                .environment(\.send, recordingSend)
        }
        try await cluster.send(action: StartUpAction.appDidCompleteLaunching)

        #expect(await mockedIdentityModel.starts == 1)
        #expect(recordingSend.actions(of: ArticlesAction.self) == [.reload])
        #expect(recordingSend.actions(of: StartUpAction.self) == [])
        #expect(recordingSend.actions.count == 1)
    }

    @Test func itThrowsTheErrorOfItsAnswer() async throws {
        let recordingSend = RecordingSend { _ in throw Refused() }
        let cluster = try await Bootstrap {
            IdentityService()
                .with(model: MockedIdentity())
                .environment(\.send, recordingSend)
        }

        await #expect(throws: Refused.self) {
            try await cluster.send(action: StartUpAction.appDidCompleteLaunching)
        }

        #expect(recordingSend.actions(of: ArticlesAction.self) == [.reload])
    }

    @Test func aTestWaitsForAnAction() async throws {
        let recordingSend = RecordingSend()
        let sending = Task { try await recordingSend.send(ArticlesAction.reload) }

        await recordingSend.waitForActions(1)
        try await sending.value

        #expect(recordingSend.actions(of: ArticlesAction.self) == [.reload])
    }

    @Test func cancellationEndsAWaitForActionsOrAModel() async {
        let recordingSend = RecordingSend()
        let probe = ModelProbe<Int>()
        let waiting = Task {
            await recordingSend.waitForActions(1)
            await probe.waitForModel { $0 == 1 }
        }

        waiting.cancel()

        await waiting.value
        #expect(recordingSend.actions.isEmpty && probe.values.isEmpty)
    }

    @Test func aProbeRecordsTheModelOfAStore() async throws {
        let probe = ModelProbe<Int>()
        #expect(probe.current == nil)
        let cluster = try await Bootstrap { CounterService().with(model: 5, probe: probe) }
        #expect(probe.values == [5])

        let sending = Task {
            for _ in 0..<3 { try await cluster.send(action: StartUpAction.appDidCompleteLaunching) }
        }
        await probe.waitForModel { $0 == 8 }
        try await sending.value

        #expect(probe.values == [5, 6, 7, 8])
        #expect(probe.current == 8)
    }
}
