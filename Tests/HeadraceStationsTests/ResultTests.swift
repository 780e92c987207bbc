// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

private struct Loader: Dripper {
    struct State: Equatable, Sendable {
        var value = 0
    }

    indirect enum Action: Sendable {
        case start(Effect<Action>)
        case loaded(Int)
        case ended(Result<Int, any Error>)

        static let toLoaded = Case(Action.loaded) { if case .loaded(let value) = $0 { value } else { nil } }
        static let toEnded = Case(Action.ended) { if case .ended(let result) = $0 { result } else { nil } }
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .start(let effect): return effect
            case .loaded(let value), .ended(.success(let value)): state.value = value
            case .ended: break
            }
            return .none
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(2))) struct ResultTests {
    private let station = Station(initialState: Loader.State()) { Loader() }

    @Test func theCallerReceivesTheResultOfAnEffect() async throws {
        let value = try await station.pour(.start(.run { pour in pour(.loaded(7)) }), returning: Loader.Action.toLoaded)

        #expect(value == 7)
        #expect(station.value == 7)
    }

    @Test func theResultOfASentActionIsReturned() async throws {
        let sent = Effect<Loader.Action>.send(.start(.send(.loaded(3))))

        #expect(try await station.pour(.start(sent), returning: Loader.Action.toLoaded) == 3)
    }

    @Test func theResultReturnsWhileOtherWorkGoesOn() async throws {
        let gate = CancellableGate()
        let effect = Effect<Loader.Action>.run { pour in
            pour(.loaded(1))
            await gate.wait()
            if !pour.isCancelled { pour(.loaded(2)) }
        }

        #expect(try await station.pour(.start(effect), returning: Loader.Action.toLoaded) == 1)
        #expect(station.value == 1)
        var states = station.states(of: \.value).makeAsyncIterator()
        #expect(await states.next() == 1)
        gate.open()
        #expect(await states.next() == 2)
    }

    @Test func anActionOfOtherWorkIsNoResult() async throws {
        let (gate, other) = (CancellableGate(), CancellableGate())
        async let result = station.pour(
            .start(
                .run { pour in
                    await gate.wait()
                    pour(.loaded(1))
                }),
            returning: Loader.Action.toLoaded
        )
        await gate.arrivals(1)
        station.pour(.loaded(8))
        other.open()
        try await station.pour(
            .start(
                .run { pour in
                    await other.wait()
                    pour(.loaded(9))
                })
        ).finish()
        gate.open()

        #expect(try await result == 1)
    }

    @Test func aResultIsUnwrapped() async throws {
        let success = Effect<Loader.Action>.outcome(of: { 4 }) { .ended($0) }
        let failure = Effect<Loader.Action>.outcome(of: { throw EffectFailure() }) { .ended($0) }

        #expect(try await station.pour(.start(success), returning: Loader.Action.toEnded) == 4)
        await #expect(throws: EffectFailure()) {
            try await station.pour(.start(failure), returning: Loader.Action.toEnded)
        }
    }

    @Test func workWithoutAResultThrows() async throws {
        let error = await #expect(throws: StationError.self) {
            try await station.pour(.loaded(1), returning: Loader.Action.toLoaded)
        }
        #expect(error?.code == .noResult)

        await #expect(throws: EffectFailure()) {
            try await station.pour(.start(.run { _ in throw EffectFailure() }), returning: Loader.Action.toLoaded)
        }
    }

    @Test func cancellingTheCallerCancelsTheWork() async throws {
        let gate = CancellableGate()
        let caller = Task {
            try await station.pour(
                .start(
                    .run { pour in
                        await gate.wait()
                        pour(.loaded(1))
                    }),
                returning: Loader.Action.toLoaded
            )
        }
        await gate.arrivals(1)
        caller.cancel()

        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(station.value == 0)
    }

    @Test func aStationIsDirectAgainAfterTheResult() async throws {
        for _ in 1...3 {
            _ = try await station.pour(.start(.send(.loaded(1))), returning: Loader.Action.toLoaded)
        }
        let recording = station.record()
        station.pour(.loaded(2))

        #expect(recording.journal.actions.count == 1)
    }

    @Test func aRefusedActionThrowsTheRefusal() async throws {
        struct Refusing: ActionMiddleware {
            func shouldExecute<A: Sendable>(_ action: A, in context: MessageContext) -> Bool { false }
        }
        let station = Station(initialState: Loader.State(), middleware: [Refusing()]) { Loader() }

        await #expect(throws: MessageError.self) {
            try await station.pour(.start(.send(.loaded(1))), returning: Loader.Action.toLoaded)
        }
    }

    @Test func anActorStationReturnsResults() async throws {
        let station = ActorStation(initialState: Loader.State()) { Loader() }

        let value = try await station.pour(.start(.run { pour in pour(.loaded(7)) }), returning: Loader.Action.toLoaded)
        let ended = Effect<Loader.Action>.outcome(of: { 4 }) { .ended($0) }

        #expect(value == 7)
        #expect(try await station.pour(.start(ended), returning: Loader.Action.toEnded) == 4)
    }

    @Test func aTestStationReturnsTheResult() async throws {
        let station = TestStation(initialState: Loader.State()) { Loader() }
        let later = Effect<Loader.Action>.concatenate(.sleep(for: .seconds(1)), .send(.loaded(5)))

        let result = await station.pour(.start(later), returning: Loader.Action.toLoaded)
        let error = await #expect(throws: StationError.self) { try await result.value }
        #expect(error?.code == .noResult)
        await station.advance(by: .seconds(1))
        await station.receive(where: { Loader.Action.toLoaded.value(in: $0) == 5 }) { $0.value = 5 }

        #expect(try await result.value == 5)
        await station.finish()
    }

    @Test func aResultThatIsNotReadFailsTheTest() async {
        await withKnownIssue {
            let station = TestStation(initialState: Loader.State()) { Loader() }
            _ = await station.pour(.start(.send(.loaded(5))), returning: Loader.Action.toLoaded)
            await station.skipReceivedActions()
            await station.finish()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("was not asserted") }
        }
    }
}
