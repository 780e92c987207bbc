// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCore
import Synchronization

/// The runs of many seeds, each on a thread of the simulation.
struct Exploration: Sendable {
    let setup: SimulationSetup
    let body: @Sendable (SimulatedWorld) async throws -> Void

    /// Number of the first seeds that run twice, to compare the runs.
    private static let repeatedCount = 3

    /// The real time after which no other smaller run of a failed seed begins.
    private static let reductionLimit = Duration.seconds(60)

    /// Runs the seeds until one fails.
    func run(_ seeds: Range<UInt64>, for duration: Duration?) async -> (SimulationSummary, SimulationFailure?) {
        await onThread {
            let start = ContinuousClock.now
            var summary = SimulationSummary()
            for (number, seed) in seeds.enumerated() {
                if let duration, ContinuousClock.now - start >= duration { break }
                let failure = check(seed, SimulationReduction(), repeating: number < Self.repeatedCount, &summary)
                summary.realTime = ContinuousClock.now - start
                if let failure { return (summary, shrink(failure)) }
            }
            return (summary, nil)
        }
    }

    /// Runs one seed twice.
    func run(_ seed: UInt64, _ reduction: SimulationReduction) async -> (SimulationSummary, SimulationFailure?) {
        await onThread {
            let start = ContinuousClock.now
            var summary = SimulationSummary()
            let failure = check(seed, reduction, repeating: true, &summary)
            summary.realTime = ContinuousClock.now - start
            return (summary, failure)
        }
    }

    private func check(
        _ seed: UInt64, _ reduction: SimulationReduction, repeating: Bool, _ summary: inout SimulationSummary
    ) -> SimulationFailure? {
        do {
            let outcome = try perform(seed, reduction)
            summary.add(outcome)
            if let failure = SimulationFailure(outcome, reduction) { return failure }
            if !repeating || !outcome.isRepeatable { return nil }
            let other = try perform(seed, reduction)
            guard let step = outcome.trace.firstDifference(from: other.trace) else { return nil }
            return SimulationFailure(outcome, other, differentAt: step, reduction)
        } catch {
            return SimulationFailure(seed, error)
        }
    }

    /// Leaves out faults and clients while the run still fails, and time remains.
    private func shrink(_ failure: SimulationFailure) -> SimulationFailure {
        guard failure.isViolation else { return failure }
        var smallest = failure
        let end = ContinuousClock.now + Self.reductionLimit
        func tries(_ reduction: SimulationReduction) -> Bool {
            guard ContinuousClock.now < end, let outcome = try? perform(failure.seed, reduction),
                let smaller = SimulationFailure(outcome, reduction), smaller.isViolation
            else { return false }
            smallest = smaller
            return true
        }
        var clients = failure.clients
        while let fewer = [clients / 2, clients - 1].first(where: { fewer in
            fewer > 0 && tries(SimulationReduction(faults: smallest.reduction.faults, clients: fewer))
        }) {
            clients = fewer
        }
        // Halves of the faults first, then quarters, and so on.
        var size = smallest.faults.count
        while size >= 1 {
            var index = 0
            while index < smallest.faults.count {
                var kept = smallest.faults
                kept.removeSubrange(index..<min(index + size, kept.count))
                if !tries(SimulationReduction(faults: Set(kept), clients: smallest.reduction.clients)) { index += size }
            }
            size /= 2
        }
        return smallest
    }

    private func perform(_ seed: UInt64, _ reduction: SimulationReduction) throws -> Simulation.Outcome {
        try Simulation.perform(seed: seed, setup: setup, reduction: reduction, body)
    }

    /// Runs `work` on a thread of its own, so that it blocks no other task.
    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

/// The numbers of the runs of a simulation.
public struct SimulationSummary: Hashable, Sendable, CustomStringConvertible {
    /// Number of runs.
    public internal(set) var runCount = 0

    /// Number of jobs that have run, in all runs.
    public internal(set) var stepCount = 0

    /// The sum of the simulated times.
    public internal(set) var simulatedTime = Duration.zero

    /// The real time.
    public internal(set) var realTime = Duration.zero

    /// Number of faults that have happened, by kind.
    public internal(set) var faultCounts: [String: Int] = [:]

    mutating func add(_ outcome: Simulation.Outcome) {
        runCount += 1
        stepCount += outcome.steps
        simulatedTime += outcome.time
        for fault in outcome.faults {
            let kind = fault.split(separator: "-").dropLast().joined(separator: "-")
            faultCounts[kind, default: 0] += 1
        }
    }

    /// The numbers in words.
    public var description: String {
        let faults = faultCounts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
        return
            "\(runCount) runs, \(stepCount) steps, \(simulatedTime.seconds) simulated in \(realTime.seconds); faults: \(faults)"
    }
}
#endif
