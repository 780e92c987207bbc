// SPDX-License-Identifier: Apache-2.0

import HeadraceCommandEffects
import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

private struct Add: CQDCommand, Equatable {
    var number: Int
}

private struct Total: CQDQuery, Equatable {
    typealias Value = Int
}

private struct Draw: CQDCommand, Equatable {
    typealias Output = Int
}

private struct Broken: Error {}

private struct Sums: Dripper {
    struct State: Equatable, Sendable {
        var total = 0
        var isBroken = false
    }

    enum Action: Sendable {
        case add(Int)
        case added(Result<Void, any Error>)
        case totalled(Result<Int, any Error>)
        case draw
        case drawn(Result<Int, any Error>)
    }

    let dispatcher: any CommandQueryDispatcher

    var body: some Dripper<State, Action> {
        let dispatcher = dispatcher
        Drip { state, action in
            switch action {
            case .add(let number):
                return .dispatch(Add(number: number), by: dispatcher) { .added($0) }
            case .added(.success):
                return .ask(Total(), by: dispatcher) { .totalled($0) }
            case .draw:
                return .dispatch(Draw(), by: dispatcher) { .drawn($0) }
            case .totalled(.success(let total)), .drawn(.success(let total)):
                state.total = total
                return .none
            case .added(.failure), .totalled(.failure), .drawn(.failure):
                state.isBroken = true
                return .none
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct CommandEffectTests {
    @Test func resultsOfCommandsAndQueriesComeBackAsActions() async throws {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(Total.self) { _ in 42 }
        let station = ActorStation(initialState: Sums.State()) { Sums(dispatcher: dispatcher) }

        try await station.pour(.add(2)).finish()

        #expect(await station.total == 42)
        try dispatcher.requireDispatched(Add(number: 2), Total())
    }

    @Test func theResultOfACommandComesBackAsAnAction() async throws {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(Draw.self) { _ in 7 }
        let station = ActorStation(initialState: Sums.State()) { Sums(dispatcher: dispatcher) }

        try await station.pour(.draw).finish()

        #expect(await station.total == 7)
        try dispatcher.requireDispatched(Draw())
    }

    @Test func errorsComeBackAsActionsToo() async throws {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(Add.self) { _ in throw Broken() }
        let station = ActorStation(initialState: Sums.State()) { Sums(dispatcher: dispatcher) }

        try await station.pour(.add(2)).finish()

        #expect(await station.isBroken)
    }

    @Test func theEffectCausesTheCommandAndTheActionCausesTheEffect() async throws {
        let observer = Contexts()
        let seen = Mutex<MessageContext?>(nil)
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(Add.self) { _ in
            let made = MessageContext(kind: .command, type: Add.self)
            seen.withLock { $0 = made }
        }
        dispatcher.stub(Total.self) { _ in 1 }
        let station = ActorStation(initialState: Sums.State(), observers: [observer]) { Sums(dispatcher: dispatcher) }

        try await station.pour(.add(2)).finish()

        let contexts = observer.all.withLock(\.self)
        let made = seen.withLock(\.self)
        let command = try #require(made)
        #expect(contexts.map(\.kind) == [.action, .effect, .action, .effect, .action])
        #expect(command.causationID == contexts[1].id)
        #expect(contexts[1].causationID == contexts[0].id)
        #expect(command.correlationID == contexts[0].id)
    }
}

private final class Contexts: MessageObserver {
    let all = Mutex<[MessageContext]>([])

    func messageBegan(_ context: MessageContext) {
        all.withLock { $0.append(context) }
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}
}
