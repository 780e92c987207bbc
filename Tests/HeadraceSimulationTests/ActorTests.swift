// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import HeadraceSimulation
import Synchronization
import Testing

/// An actor that several tasks use at the same time, so that the runtime makes jobs for the actor itself.
private actor Tally {
    private var count = 0

    func add() async -> Int {
        await Task.yield()
        count += 1
        return count
    }

    /// Adds from four tasks, and returns the largest count.
    nonisolated func addAtOnce() async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { await self.add() } }
            return await group.reduce(0, max)
        }
    }
}

@Suite struct ActorTests {
    @Test(arguments: 0..<8) func theActorsOfANodeRunAfterAnotherNodeIsKilled(_ seed: Int) async throws {
        try await Simulation.run(seed: UInt64(seed), entities: [], faults: .none) { world in
            let nodes = try await world.start("server", count: 2) { _ in Tally() }
            for node in nodes { world.expect(try await node.request { await $0.addAtOnce() } == 4, "Tasks are lost.") }
            nodes[0].kill()
            let count = try await nodes[1].request { await $0.addAtOnce() }
            world.expect(count == 8, "The second node counts \(count).")
        }
    }
}
#endif
