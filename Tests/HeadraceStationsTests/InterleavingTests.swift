// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

/// Random interleavings of start, cancel, pour, and release.
///
/// A failure reports its seed.
@Suite(.timeLimit(.minutes(2))) struct InterleavingTests {
    private enum Step: CaseIterable {
        case start, startQueued, startLatest, cancelID, cancelTask, cancelTaskElsewhere, pour, breathe, openGate
    }

    @Test(arguments: 0..<10)
    func randomInterleavingsKeepTheOrderDeliverNothingAfterACancelAndLeakNothing(block: UInt64) async throws {
        for seed in block * 1_000..<(block + 1) * 1_000 {
            try await interleave(seed: seed)
        }
    }

    private func interleave(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let gate = CancellableGate()
        let freed = CancellableGate()
        let log = Deliveries()
        var station: ActorStation<Tracked, Move>? = ActorStation(initialState: Tracked(freed)) { Tracking(log: log) }
        var tasks: [(effect: Int, task: PourTask)] = []
        var lastEffect = 0

        for _ in 0..<Int.random(in: 3...14, using: &numbers) {
            guard let station else { break }
            let id = Int.random(in: 0..<3, using: &numbers)
            switch Step.allCases.randomElement(using: &numbers) ?? .pour {
            case .start, .startQueued, .startLatest:
                lastEffect += 1
                let policies: [EffectPolicy] = [.concurrent, .latest, .drop, .queue(limit: 2)]
                let policy = policies.randomElement(using: &numbers) ?? .concurrent
                let pours = Int.random(in: 0...4, using: &numbers)
                let waits = Bool.random(using: &numbers)
                let effect = lastEffect
                let task = await station.pour(
                    .start(
                        effect,
                        Effect.run { pour in
                            if waits { await gate.wait() }
                            for number in 0..<pours {
                                pour(.deliver(effect, number))
                                if number.isMultiple(of: 2) { await Task.yield() }
                            }
                        }
                        .cancellable(id: id, policy: policy)
                    )
                )
                tasks.append((effect, task))
            case .cancelID:
                await station.pour(.cancel(id))
            case .cancelTask:
                if let (effect, task) = tasks.randomElement(using: &numbers) {
                    await station.read { _ in
                        task.cancel()
                        log.cancelled(effect)
                    }
                }
            case .cancelTaskElsewhere:
                if let (effect, task) = tasks.randomElement(using: &numbers) {
                    await Task.detached {
                        task.cancel()
                        log.cancelled(effect, whilePouring: true)
                    }.value
                }
            case .pour:
                await station.pour(.deliver(0, 0))
            case .breathe:
                await Task.yield()
            case .openGate:
                gate.open()
            }
        }
        let isReleased = Bool.random(using: &numbers)
        if isReleased {
            station = nil
        } else {
            gate.open()
        }
        for (_, task) in tasks { try await task.finish() }
        station = nil
        await freed.wait()

        #expect(log.problems == [], "seed \(seed)")
    }
}

private indirect enum Move: Sendable {
    case start(Int, Effect<Move>)
    case cancel(Int)
    case deliver(Int, Int)
}

private struct Tracking: Dripper {
    typealias State = Tracked
    typealias Action = Move

    let log: Deliveries

    var body: some Dripper<Tracked, Move> {
        let log = log
        Drip { _, action in
            switch action {
            case .start(_, let effect): return effect
            case .cancel(let id): return .cancel(id: id)
            case .deliver(let effect, let number):
                log.delivered(effect, number)
                return .none
            }
        }
    }
}

/// Opens a gate when it is released.
private final class Tracked {
    let freed: CancellableGate

    init(_ freed: CancellableGate) {
        self.freed = freed
    }

    deinit {
        freed.open()
    }
}

/// A record of the delivered actions and of violated guarantees.
private final class Deliveries: Sendable {
    private struct State {
        var last: [Int: Int] = [:]

        /// Number of actions that a cancelled effect can still pour, by effect.
        var cancelled: [Int: Int] = [:]
        var problems: [String] = []
    }

    private let state = Mutex(State())

    var problems: [String] { state.withLock(\.problems) }

    /// Called after an effect was cancelled.
    ///
    /// An effect that is cancelled elsewhere can still pour one action.
    func cancelled(_ effect: Int, whilePouring: Bool = false) {
        state.withLock { state in
            if state.cancelled[effect] == nil { state.cancelled[effect] = whilePouring ? 1 : 0 }
        }
    }

    func delivered(_ effect: Int, _ number: Int) {
        if effect == 0 { return }
        state.withLock { state in
            if let rest = state.cancelled[effect], rest > 0 {
                state.cancelled[effect] = rest - 1
            } else if state.cancelled[effect] != nil {
                state.problems.append("effect \(effect) has poured \(number) after it was cancelled")
            }
            if state.last[effect, default: -1] != number - 1 {
                state.problems.append("effect \(effect) has poured \(number) after \(state.last[effect] ?? -1)")
            }
            state.last[effect] = number
        }
    }
}
