// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceSimulation
import Testing

/// The settings of the simulations, which are environment variables.
///
/// `LEDGER_SIMULATION_SEEDS`, `LEDGER_SIMULATION_SECONDS`, and `LEDGER_SIMULATION_FIRST` set the number of seeds, the real time after
/// which no other seed begins, and the first seed.
///
/// With `LEDGER_SIMULATION_REPETITIONS`, the first seed runs that many times instead. `LEDGER_SIMULATION_FAULTS` and
/// `LEDGER_SIMULATION_CLIENTS` are its arguments from the report of a failure: the names of the faults, divided by spaces, and the
/// number of clients.
enum SimulationSettings {
    private static let environment = ProcessInfo.processInfo.environment

    private static let first = UInt64(number("FIRST") ?? 0)

    private static func number(_ name: String) -> Int? { environment["LEDGER_SIMULATION_\(name)"].flatMap { Int($0) } }

    /// The time: a minute in the gate, and 10 seconds otherwise.
    private static var duration: Duration {
        .seconds(number("SECONDS") ?? (environment["CI"] == nil ? 10 : 60))
    }

    /// Runs `body` with the seeds of the settings.
    static func run(
        entities: [any StoredEntity.Type],
        faults: SimulatedFaults = .all,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async {
        if let count = number("REPETITIONS") { return await repeatFirst(count, entities, faults, body) }
        let start = clock()
        // By default as many as fit into the time.
        let seeds = first..<first + UInt64(max(1, number("SEEDS") ?? 1_000_000))
        let summary = await Simulation.explore(
            seeds: seeds, for: duration, entities: entities, faults: faults, body)
        let processorTime = Duration.seconds(Double(clock() - start) / Double(CLOCKS_PER_SEC))
        print(
            "\(summary); \(Int((summary.simulatedTime / processorTime).rounded())) simulated hours per processor hour")
        #expect(summary.runCount > 0)
    }

    /// Runs the first seed `count` times, and expects that it fails each time for the same reason, in the same step.
    private static func repeatFirst(
        _ count: Int,
        _ entities: [any StoredEntity.Type],
        _ faults: SimulatedFaults,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async {
        let kept = environment["LEDGER_SIMULATION_FAULTS"].map { Set($0.split(separator: " ").map(String.init)) }
        var outcomes: [String] = []
        for _ in 0..<count {
            do {
                try await Simulation.run(
                    seed: first, only: kept, clients: number("CLIENTS"), entities: entities, faults: faults, body)
                outcomes.append("no failure")
            } catch let failure as SimulationFailure {
                let parts = ["step \(failure.step)"] + failure.reasons + failure.faults
                outcomes.append(parts.joined(separator: "; "))
            } catch {
                outcomes.append("\(error)")
            }
        }
        let equal = outcomes.count { $0 == outcomes.first && $0 != "no failure" }
        print("The seed \(first) fails alike in \(equal) of \(count) runs.")
        #expect(equal == count, "\(Set(outcomes).sorted().joined(separator: "\n"))")
    }
}
#endif
