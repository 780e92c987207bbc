// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StationReleaseTests {
    @Test func releasingAStationCancelsItsEffects() async throws {
        let reached = CancellableGate()
        let wasCancelled = Mutex(false)
        var station: Station<Log.State, Log.Action>? = Station(initialState: Log.State()) { Log() }
        weak let released = station
        let task = try #require(station).pour(
            .start(
                "a",
                .run { pour in
                    reached.open()
                    await CancellableGate().wait()
                    wasCancelled.withLock { $0 = Task.isCancelled && pour.isCancelled }
                    pour(.note("too late"))
                })
        )
        await reached.wait()

        station = nil
        try await task.finish()

        #expect(released == nil)
        #expect(task.isCancelled)
        #expect(wasCancelled.withLock(\.self) == true)
    }

    @Test func releasingAnActorStationCancelsItsEffectsAndFreesItsState() async throws {
        let reached = CancellableGate()
        let freed = CancellableGate()
        var station: ActorStation<Witness, Log.Action>? = ActorStation(initialState: Witness(freed)) {
            Drip { _, action in
                if case .start(_, let effect) = action { effect } else { .none }
            }
        }
        let task = await station?.pour(
            .start(
                "a",
                .run { _ in
                    reached.open()
                    await CancellableGate().wait()
                })
        )
        await reached.wait()

        station = nil
        try await task?.finish()

        await freed.wait()
    }

    @Test func anEndlessEffectRetainsNeitherStationNorState() async throws {
        let reached = CancellableGate()
        let freed = CancellableGate()
        let stubborn = CancellableGate()
        var station: Station<Witness, Log.Action>? = Station(initialState: Witness(freed)) {
            Drip { _, action in
                if case .start(_, let effect) = action { effect } else { .none }
            }
        }
        let task = try #require(station).pour(
            .start(
                "a",
                .run { pour in
                    await Task { @MainActor in
                        reached.open()
                        await stubborn.wait()
                    }.value
                    pour(.note("b"))
                })
        )
        await reached.wait()

        station = nil
        await freed.wait()
        #expect(!task.isFinished)
        stubborn.open()
        try await task.finish()
    }

    @Test func cancellingAnIdDoesNotAffectOtherStations() async throws {
        let first = Station(initialState: Log.State()) { Log() }
        let second = Station(initialState: Log.State()) { Log() }
        let gate = CancellableGate()
        let effect = Effect<Log.Action>.run { pour in
            await gate.wait()
            pour(.note("done"))
        }.cancellable(id: "id")
        let tasks = [first.pour(.start("a", effect)), second.pour(.start("a", effect))]

        first.pour(.start("cancel", .cancel(id: "id")))
        gate.open()
        for task in tasks { try await task.finish() }

        #expect(first.entries == ["a", "cancel"])
        #expect(second.entries == ["a", "done"])
    }
}

/// Opens a gate when it is released.
final class Witness: Sendable {
    private let freed: CancellableGate

    init(_ freed: CancellableGate) {
        self.freed = freed
    }

    deinit {
        freed.open()
    }
}
