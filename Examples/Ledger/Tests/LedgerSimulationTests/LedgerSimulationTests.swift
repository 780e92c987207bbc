// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceSimulation
import LedgerApplication
import Testing

/// The environment variables `LEDGER_SIMULATION_SEEDS`, `LEDGER_SIMULATION_SECONDS`, and `LEDGER_SIMULATION_FIRST` set the number of
/// seeds, the real time after which no other seed begins, and the first seed.
@Suite struct LedgerSimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// The seeds: by default as many as fit into the time.
    private static var seeds: Range<UInt64> {
        let first = number("LEDGER_SIMULATION_FIRST") ?? 0
        return UInt64(first)..<UInt64(first + max(1, number("LEDGER_SIMULATION_SEEDS") ?? 1_000_000))
    }

    /// The time: a minute in the gate, and 10 seconds otherwise.
    private static var duration: Duration {
        .seconds(number("LEDGER_SIMULATION_SECONDS") ?? (environment["CI"] == nil ? 10 : 60))
    }

    private static func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }

    @Test func threeServersKeepTheBooksUnderAllFaults() async {
        let start = clock()
        let summary = await Simulation.explore(
            seeds: Self.seeds, for: Self.duration, entities: LedgerComposition.entities
        ) { world in
            try await LedgerWorld.simulate(world)
        }
        let processorTime = Duration.seconds(Double(clock() - start) / Double(CLOCKS_PER_SEC))
        print(
            "\(summary); \(Int((summary.simulatedTime / processorTime).rounded())) simulated hours per processor hour")
        #expect(summary.runCount > 0)
    }
}
#endif
