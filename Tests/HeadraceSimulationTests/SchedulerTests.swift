// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Dispatch
import Foundation
import HeadraceCore
import HeadraceSimulation
import Synchronization
import Testing

@Suite struct SchedulerTests {
    @Test(arguments: 0..<4) func aSeedRepeats(_ seed: UInt64) async throws {
        for _ in 0..<25 {
            try await Simulation.run(seed: seed, entities: [], faults: .none) { world in
                _ = await Self.program(world)
            }
        }
    }

    @Test func seedsHaveDifferentOutcomes() async throws {
        let outcomes = Notes<String>()
        await Simulation.explore(seeds: 0..<200, entities: [], faults: .none) { world in
            outcomes.add(await Self.program(world))
        }
        #expect(Set(outcomes.values).count > 20)
    }

    /// Uses actors, the main actor, groups, streams, detached tasks, and an hour of sleep.
    private static func program(_ world: SimulatedWorld) async -> String {
        let counter = Counter()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let reader = Task {
            var values: [Int] = []
            for await value in stream { values.append(value) }
            return values
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    if number % 2 == 0 { try? await world.clock.sleep(for: .milliseconds(number)) }
                    await counter.addUnsafely(1)
                    continuation.yield(await counter.value)
                    await MainActor.run {
                        MainActor.assertIsolated()
                        continuation.yield(-number)
                    }
                    Task.detached { await counter.addUnsafely(10) }
                }
            }
        }
        async let one: Void = counter.addUnsafely(100)
        async let two: Void = counter.addUnsafely(200)
        _ = await (one, two)
        try? await world.clock.sleep(for: .seconds(3_000))
        continuation.finish()
        return "\(await counter.value) \(await reader.value)"
    }

    @Test func anHourPassesWithoutRealTime() async throws {
        let summary = try await Simulation.run(seed: 1, entities: [], faults: .none, limit: .seconds(9_000)) { world in
            let before = world.clock.now
            try await world.clock.sleep(for: .seconds(7_200))
            world.expect(world.clock.now - before >= .seconds(7_200), "it is too early")
        }
        #expect(summary.simulatedTime >= .seconds(7_200))
    }

    @Test func aCancelledSleepEndsAtOnce() async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none) { world in
            let sleeper = Task { try await world.clock.sleep(for: .seconds(100)) }
            await Task.yield()
            sleeper.cancel()
            let result = await sleeper.result
            world.expect((try? result.get()) == nil, "the sleep was not cancelled")
            world.expect(SystemValues.current.date() < Date(timeIntervalSince1970: 1_893_456_001), "it has slept")
        }
    }

    @Test func aBodyThatWaitsForNothingFails() async {
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none) { _ in
            _ = await Self.never()
        }
        #expect(failure?.reasons.first?.contains("waits for something that doesn't happen") == true)
    }

    /// Doesn't return.
    private static func never() async -> Int? {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        defer { continuation.finish() }
        for await value in stream { return value }
        return nil
    }

    @Test func aBodyThatNeverEndsFails() async {
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none, maximumSteps: 5_000) {
            _ in
            while !Task.isCancelled { await Task.yield() }
        }
        #expect(failure?.reasons.first?.contains("has not ended") == true)
    }

    @Test func runsThatDifferFail() async {
        let runs = Notes<Int>()
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none) { world in
            runs.add(0)
            for _ in 0..<runs.values.count { try? await world.clock.sleep(for: .seconds(1)) }
        }
        #expect(failure?.reasons.first?.contains("Two runs of the seed differ at step") == true)
    }

    // In a process of its own, because the first simulation of a process replaces the executors.
    @Test func theMainActorGoesOnWhenASimulationReplacesItsExecutor() async {
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                simulateAndWait()
                MainActor.assumeIsolated {}
            }
        }
    }

    @Test func otherTasksRunAsUsualMeanwhile() async throws {
        async let simulation: SimulationSummary = Simulation.explore(seeds: 0..<50, entities: [], faults: .none) {
            world in
            _ = await Self.program(world)
        }
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...100 {
                group.addTask {
                    await Task.yield(); return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 5_050)
        #expect(await simulation.runCount == 50)
    }
}

/// Loses updates, on purpose.
private actor Counter {
    private(set) var value = 0

    func addUnsafely(_ amount: Int) async {
        let before = value
        await Task.yield()
        value = before + amount
    }
}

/// Values that tests collect.
final class Notes<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var values: [Value] { state.withLock(\.self) }

    func add(_ value: Value) {
        state.withLock { $0.append(value) }
    }
}

/// Runs a simulation, and blocks the thread meanwhile.
private func simulateAndWait() {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
        await Simulation.explore(seeds: 0..<1, entities: [], faults: .none) { _ in }
        end.signal()
    }
    end.wait()
}
#endif
