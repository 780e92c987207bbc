// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import Synchronization

/// Decides which faults happen, and remembers them.
final class FaultPlan: Sendable {
    /// The kinds of fault; the texts name them in reports.
    enum Kind: String, CaseIterable, Sendable {
        case kill
        case pause
        case partition
        case storeCrash = "store-crash"
        case lostRequest = "lost-request"
        case lostAnswer = "lost-answer"
        case lostMessage = "lost-message"
        case repetition
        case serviceFailure = "service-failure"
    }

    private struct State {
        var counts: [Kind: Int] = [:]
        var happened: [String] = []
        var isActive = true
    }

    let faults: SimulatedFaults
    private let kept: Set<String>?
    private let streams: [Kind: RandomStream]
    private let state = Mutex(State())

    init(_ faults: SimulatedFaults, seed: UInt64, only kept: Set<String>?) {
        self.faults = faults
        self.kept = kept
        streams = Dictionary(
            uniqueKeysWithValues: Kind.allCases.map { ($0, RandomStream(seed: seed, purpose: $0.rawValue)) })
    }

    /// The random numbers for the faults of a kind.
    func stream(of kind: Kind) -> RandomStream { streams[kind] ?? RandomStream(seed: 0, purpose: kind.rawValue) }

    /// The names of the faults that have happened, in their order.
    var happened: [String] { state.withLock(\.happened) }

    /// Returns whether a fault with this probability happens now.
    func happens(_ kind: Kind, _ probability: Double) -> Bool {
        if probability <= 0 || !stream(of: kind).happens(probability) { return false }
        return occurs(kind) != nil
    }

    /// Counts a fault that is due, and returns its name; `nil` if it must not happen.
    func occurs(_ kind: Kind) -> String? {
        state.withLock { state in
            if !state.isActive { return nil }
            let number = state.counts[kind, default: 0] + 1
            state.counts[kind] = number
            let name = "\(kind.rawValue)-\(number)"
            if let kept, !kept.contains(name) { return nil }
            state.happened.append(name)
            return name
        }
    }

    /// Lets no more faults happen.
    func end() {
        state.withLock { $0.isActive = false }
    }

    var isActive: Bool { state.withLock(\.isActive) }
}

/// The parts of a run that happen in a smaller run of its seed.
struct SimulationReduction: Hashable, Sendable {
    /// The names of the faults that may happen; `nil` for all.
    var faults: Set<String>?

    /// Maximum number of clients; `nil` for all.
    var clients: Int?
}
#endif
