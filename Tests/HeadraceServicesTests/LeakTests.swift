// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

/// A model that stores a `Send`.
private actor Hoarder {
    private var send: Send?
    private let onRelease: Gate

    init(onRelease: Gate) { self.onRelease = onRelease }

    func keep(_ send: Send) { self.send = send }

    deinit { onRelease.open() }
}

/// A sequence that never ends, even if the task is cancelled.
private struct UnendingSequence: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let gate: Gate

        func next() async -> Ping? {
            await gate.pass()
            return nil
        }
    }

    let gate: Gate

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(gate: gate) }
}

/// Releasing a cluster frees its services and stops its emitters.
@Suite(.timeLimit(.minutes(2))) struct LeakTests {
    /// A cluster with all kinds of modifiers, which holds the only reference to `model`.
    private func cluster(model: Hoarder) async throws -> Bootstrap {
        try await Bootstrap {
            Group {
                Store(model: Hoarder.self)
                    .mutate(on: Ping.self) { model, _, send in await model.keep(send) }
                    .bootstrap { _ in }
                Leaf("beside", Journal())
            }
            .emit(using: AsyncStream<Ping> { $0.finish() })
            .transformError { Recovery(name: "\($0)") }
            .observe { [model] _ in await model.keep(Send { _ in }) }
            .with(model: model)
        }
    }

    @Test func aModelThatStoresASendIsFreedWithTheCluster() async throws {
        let freed = Gate()
        do {
            let cluster = try await cluster(model: Hoarder(onRelease: freed))
            try await cluster.send(action: Ping())
        }

        await freed.pass()
    }

    @Test func releasingTheClusterStopsItsEmitters() async throws {
        let ended = Gate()
        let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
        continuation.onTermination = { _ in ended.open() }
        do {
            _ = try await Bootstrap { Leaf("a", Journal()).emit(using: stream) }
        }

        await ended.pass()
    }

    @Test func releasingTheClusterCancelsTheEmittedAction() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
        let (begun, ended) = (Gate(), Gate())
        do {
            let cluster = try await Bootstrap {
                Store(model: Journal.self)
                    .mutate(on: Ping.self) { _, _, _ in
                        begun.open()
                        await untilCancelled()
                        ended.open()
                    }
                    .with(model: Journal())
                    .emit(using: stream)
            }
            continuation.yield(Ping())
            await begun.pass()
            withExtendedLifetime(cluster) {}
        }

        await ended.pass()
    }

    @Test func aSequenceThatDoesNotEndRetainsNoModel() async throws {
        let (freed, endless) = (Gate(), Gate())
        do {
            let model = Hoarder(onRelease: freed)
            let cluster = try await Bootstrap {
                Store(model: Hoarder.self)
                    .mutate(on: Ping.self) { model, _, send in await model.keep(send) }
                    .with(model: model)
                    .emit(using: UnendingSequence(gate: endless))
            }
            await endless.arrivals(1)
            try await cluster.send(action: Ping())
        }

        await freed.pass()
        endless.open()
    }

    @Test func aClusterWhoseBootstrapFailsRetainsNothing() async throws {
        let freed = Gate()
        await #expect(throws: TestFailure("not ready")) {
            let model = Hoarder(onRelease: freed)
            _ = try await Bootstrap {
                Store(model: Hoarder.self)
                    .mutate(on: Ping.self) { model, _, send in await model.keep(send) }
                    .bootstrap { _ in throw TestFailure("not ready") }
                    .with(model: model)
            }
        }

        await freed.pass()
    }
}
