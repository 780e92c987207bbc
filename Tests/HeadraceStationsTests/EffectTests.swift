// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct EffectTests {
    private let station = Station(initialState: Log.State()) { Log() }

    @Test func anEffectPoursAfterItsActionWasReduced() async throws {
        let task = station.pour(
            .start(
                "load",
                .run { pour in
                    pour(.note("one"))
                    pour(.note("two"))
                })
        )

        #expect(station.entries == ["load"])
        #expect(!task.isFinished)
        try await task.finish()
        #expect(station.entries == ["load", "one", "two"])
        #expect(task.isFinished)
    }

    @Test func aPouredActionOfAnEffectIsReducedAtOnce() async throws {
        let station = station
        try await station.pour(
            .start(
                "load",
                .run { pour in
                    pour(.note("one"))
                    await MainActor.run { #expect(station.entries == ["load", "one"]) }
                })
        ).finish()
    }

    @Test func finishWaitsForTheEffectsOfPouredActions() async throws {
        @Sendable nonisolated func chain(_ depth: Int) -> Effect<Log.Action> {
            .run { pour in
                await Task.yield()
                pour(depth == 0 ? .note("end") : .start("\(depth)", chain(depth - 1)))
            }
        }

        try await station.pour(.start("a", chain(50))).finish()

        #expect(station.entries.count == 52)
        #expect(station.entries.last == "end")
    }

    @Test func finishThrowsTheErrorOfAnEffectAndOtherEffectsContinue() async throws {
        let gate = CancellableGate()
        let task = station.pour(
            .start(
                "a",
                .merge(
                    .run { _ in throw EffectFailure() },
                    .run { pour in
                        await gate.wait()
                        pour(.note("b"))
                    }
                )
            )
        )
        gate.open()

        await #expect(throws: EffectFailure()) { try await task.finish() }
        #expect(station.entries == ["a", "b"])
    }

    @Test func catchReceivesTheErrorAndCanPour() async throws {
        try await station.pour(
            .start(
                "a",
                .run { _ in
                    throw EffectFailure(name: "lost")
                } catch: { error, pour in
                    pour(.note("\((error as? EffectFailure)?.name ?? "?")"))
                })
        ).finish()

        #expect(station.entries == ["a", "lost"])
    }

    @Test func anEffectThatFailsAtOnceFailsTheTask() async throws {
        await #expect(throws: EffectFailure()) { try await station.pour(.start("a", .fail(EffectFailure()))).finish() }
    }

    @Test func cancellingTheTaskCancelsItsEffectsAndDropsTheirActions() async throws {
        let gate = CancellableGate()
        let reached = CancellableGate()
        let task = station.pour(
            .start(
                "a",
                .run { pour in
                    pour(.note("b"))
                    reached.open()
                    await gate.wait()
                    pour(.note("too late"))
                })
        )
        await reached.wait()

        task.cancel()
        #expect(task.isCancelled)
        try await task.finish()

        #expect(station.entries == ["a", "b"])
    }

    @Test func cancellingTheWaitingTaskCancelsTheEffects() async throws {
        let station = station
        let reached = CancellableGate()
        let gate = CancellableGate()
        let waiting = Task {
            try await station.pour(
                .start(
                    "a",
                    .run { _ in
                        reached.open()
                        await gate.wait()
                    })
            ).finish()
        }
        await reached.wait()

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func anEffectCancelledInTheTurnOfItsStartNeverRuns() async throws {
        let hasRun = Mutex(false)
        let effect = Effect<Log.Action>.run { _ in hasRun.withLock { $0 = true } }

        let task = station.pour(.start("a", effect))
        task.cancel()
        try await task.finish()
        let byID = station.pour(.start("b", effect.cancellable(id: 1)))
        station.pour(.start("c", .cancel(id: 1)))
        try await byID.finish()
        let within = station.pour(.start("d", .merge(effect.cancellable(id: 1), .cancel(id: 1))))
        try await within.finish()

        #expect(hasRun.withLock(\.self) == false)
    }

    @Test func mergedEffectsRunAtOnceAndConcatenatedEffectsInOrder() async throws {
        let first = CancellableGate()
        try await station.pour(
            .start(
                "a",
                .merge(
                    .run { pour in
                        await first.wait()
                        pour(.note("1"))
                    },
                    .concatenate(
                        .run { pour in pour(.note("2")) },
                        .send(.note("3")),
                        .run { _ in first.open() }
                    )
                )
            )
        ).finish()

        #expect(station.entries == ["a", "2", "3", "1"])
    }

    @Test func aHundredThousandConcatenatedEffectsDoNotGrowTheStack() async throws {
        let station = Station(initialState: 0) {
            Drip<Int, Int> { state, action in
                state += 1
                guard action == -1 else { return .none }
                return .concatenate((0..<100_000).map { .send($0) } + [.run { pour in pour(7) }])
            }
        }

        try await station.pour(-1).finish()

        #expect(station.state == 100_002)
    }

    @Test func aFailedEffectEndsItsConcatenation() async throws {
        await #expect(throws: EffectFailure()) {
            try await station.pour(
                .start("a", .concatenate(.run { _ in throw EffectFailure() }, .send(.note("not done"))))
            ).finish()
        }

        #expect(station.entries == ["a"])
    }

    @Test func aCancelledEffectEndsItsConcatenation() async throws {
        let gate = CancellableGate()
        let task = station.pour(
            .start(
                "a",
                .concatenate(.run { _ in await gate.wait() }.cancellable(id: "x"), .send(.note("not done")))
            )
        )
        station.pour(.start("stop", .cancel(id: "x")))
        try await task.finish()

        #expect(station.entries == ["a", "stop"])
    }

    @Test func mappedEffectsPourTransformedActions() async throws {
        let numbers = Effect<Int>.merge(.send(1), .run { pour in pour(2) }, .concatenate(.send(3), .send(4)))

        try await station.pour(.start("a", numbers.map { .note("\($0)") })).finish()

        #expect(station.entries == ["a", "1", "3", "4", "2"])
    }

    @Test func anOutcomeIsPouredForAValueAndForAnError() async throws {
        try await station.pour(
            .start("a", .outcome(of: { 42 }, as: { .note("\((try? $0.get()) ?? 0)") }))
        ).finish()
        try await station.pour(
            .start(
                "b",
                .outcome(of: { () async throws -> Int in throw EffectFailure() }) { result in
                    if case .failure(let error as EffectFailure) = result { .note(error.name) } else { .note("?") }
                }
            )
        ).finish()

        #expect(station.entries == ["a", "42", "b", "failure"])
    }

    @Test func effectsBeginInTheOrderInWhichTheyWereReturned() async throws {
        let order = Mutex<[Int]>([])
        var tasks: [PourTask] = []
        for number in 0..<100 {
            tasks.append(station.pour(.start("", .run { _ in order.withLock { $0.append(number) } })))
        }
        for task in tasks { try await task.finish() }

        #expect(order.withLock(\.self) == Array(0..<100))
    }

    @Test func effectsBeginOnTheActorOfTheStation() async throws {
        try await station.pour(
            .start(
                "a",
                .run { pour in
                    MainActor.assertIsolated()
                    pour(.note("b"))
                    MainActor.assertIsolated()
                })
        ).finish()

        #expect(station.entries == ["a", "b"])
    }
}
