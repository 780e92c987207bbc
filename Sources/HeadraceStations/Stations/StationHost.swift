// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The actor of an ``ActorStation``. Running effects retain it, but not the station.
actor StationHost<State, Action: Sendable> {
    private let core: StationCore<State, Action>

    init(_ makeCore: () -> sending StationCore<State, Action>, runningEffects: RunningEffects) {
        let core = makeCore()
        let hasSubscriptions = core.hasSubscriptions
        self.core = core
        runningEffects.attach(self)
        // An initializer isn't isolated to its actor. The task keeps the host, but not the station, until it has run.
        if hasSubscriptions { Task { await self.startSubscriptions() } }
    }

    private func startSubscriptions() { core.startSubscriptions() }

    func pour(_ action: Action) -> PourTask {
        core.pour(action)
    }

    func pour<Value: Sendable>(
        _ action: Action,
        returning extract: @escaping @Sendable (Action) -> Value?
    ) async throws -> Value {
        try await core.pour(action, returning: extract)
    }

    var subscriptionNames: [String] { core.subscriptionNames }

    func inspect(limit: Int) -> StationInspection<AsyncStream<Reduction<Action>>> {
        StationInspection(properties: core.properties, state: core.stateJSON, changes: changes(limit: limit))
    }

    func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) throws {
        try core.replay(file, to: receiver)
    }

    func stateJSON(after file: JournalFile) throws -> Data? { try core.stateJSON(after: file) }

    func pour(_ makeAction: @Sendable (State) -> Action, after count: Int, of file: JournalFile) throws {
        _ = core.pour(makeAction(try core.state(after: count, of: file)))
    }

    func states(limit: Int) -> AsyncStream<State> where State: Sendable {
        stream(limit: limit) { core.subscribe(by: $0) }
    }

    func changes(limit: Int) -> AsyncStream<Reduction<Action>> {
        stream(limit: limit) { core.subscribeToChanges(by: $0) }
    }

    private func stream<Element: Sendable>(
        limit: Int,
        _ subscribe: (@escaping (Element) -> Bool) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let end = StreamEnd(continuation)
        subscribe { element in
            if case .terminated = end.continuation.yield(element) { false } else { true }
        }
        return stream
    }

    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value {
        body(core.state)
    }
}

/// Ends a stream when the closure that fills it is released.
private final class StreamEnd<Element> {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}
