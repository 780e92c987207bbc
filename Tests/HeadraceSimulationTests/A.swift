// SPDX-License-Identifier: Apache-2.0

#if Simulation
import Foundation
import HeadraceCore
import HeadraceSimulation
import HeadraceStoreContract
import Synchronization
import Testing

actor Counter {
    var value = 0
    func add(_ amount: Int) async {
        let now = value
        await Task.yield()
        value = now + amount
    }
}

@Suite struct SchedulerTests {
    @Test(arguments: 0..<4) func aSeedRepeats(_ number: Int) async throws {
        let summary = try await Simulation.run(seed: UInt64(number), entities: [], faults: .none) { world in
            let counter = Counter()
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let reader = Task { var sum = 0; for await value in stream { sum += value }; return sum }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try? await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(number)))
                        await counter.add(1)
                        continuation.yield(await counter.value)
                        Task.detached { await counter.add(10) }
                    }
                }
            }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3_600 - 1)))
            continuation.finish()
            _ = await reader.value
        }
        print(summary)
    }

    @Test func escapesAreReported() async throws {
        do {
            try await Simulation.run(seed: 1, entities: [], faults: .none) { world in
                _ = Date()
                _ = UUID()
                _ = Int.random(in: 0...5)
                try await Task.sleep(for: .milliseconds(5))
                usleep(1)
            }
        } catch { print(error) }
    }

    @Test(arguments: StoreContract.checks(for: StoreContract.Capabilities(isShared: true))) func contract(_ check: StoreContract.Check) async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none, allowing: [.realClock, .realRandomNumbers]) { world in
            try await check.run { entities in try world.openStore(entities: entities) }
        }
    }
}
#endif
