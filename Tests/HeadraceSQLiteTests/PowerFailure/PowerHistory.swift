// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceStorage
import Synchronization

/// The calls of tasks on a store, with their times.
///
/// Each call has a beginning and, if it returned, an end. Times are numbers that grow. If the end of a call is less than the
/// beginning of another call, the first call returned before the second call began.
final class PowerHistory: Sendable {
    /// An effect that a call had if it returned.
    enum Effect: Hashable {
        /// An entry is stored, with its event and deliveries.
        case entry(String)

        /// The event of an entry was handled: the effect is stored, and the delivery is gone.
        case handling(String)

        /// The other delivery of an entry's event was acknowledged, by ``HeadraceStorage/DeliveryStore/settle(_:)``.
        case acknowledgement(String)

        /// A lease was granted and not used.
        case lease(Lease)
    }

    struct Call {
        let beginning: Int
        var end: Int?
        let isDurable: Bool
    }

    struct State {
        var calls: [Effect: Call] = [:]

        /// The units of work in the order in which they were applied.
        ///
        /// A unit of work that was retried appears more than once.
        var order: [Effect] = []

        /// Errors that no power failure explains.
        var violations: [String] = []

        fileprivate var time = 0

        fileprivate mutating func tick() -> Int {
            time += 1
            return time
        }
    }

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }

    /// Records that a call begins, and returns the time.
    @discardableResult
    func begin(_ effects: [Effect] = [], durable: Bool = false) -> Int {
        state.withLock { state in
            let now = state.tick()
            for effect in effects { state.calls[effect] = Call(beginning: now, isDurable: durable) }
            return now
        }
    }

    /// Records that a call returned.
    func end(_ effects: [Effect]) {
        state.withLock { state in
            let now = state.tick()
            for effect in effects { state.calls[effect]?.end = now }
        }
    }

    /// Records that a call returned leases, which began at `beginning`.
    func endLeasing(_ leases: [Lease], since beginning: Int) {
        state.withLock { state in
            let now = state.tick()
            for lease in leases {
                state.calls[.lease(lease)] = Call(beginning: beginning, end: now, isDurable: false)
            }
        }
    }

    /// Records that `lease` is about to be used.
    func use(_ lease: Lease) {
        state.withLock { _ = $0.calls.removeValue(forKey: .lease(lease)) }
    }

    /// Records that a unit of work is applied in an open transaction.
    func apply(_ effect: Effect) {
        state.withLock { $0.order.append(effect) }
    }

    /// Removes the calls with effects that a power failure took.
    ///
    /// All other effects are on the disk.
    func continueAfterFailure(with survivors: Set<Effect>) {
        state.withLock { state in
            let now = state.tick()
            state.calls = state.calls.filter { survivors.contains($0.key) }.mapValues { call in
                Call(beginning: call.beginning, end: call.end ?? now, isDurable: true)
            }
            state.order = state.commitOrder.filter(survivors.contains)
        }
    }

    func report(_ violation: String) {
        state.withLock { $0.violations.append(violation) }
    }
}

extension PowerHistory.State {
    /// The units of work in the order of their commits, if they were committed.
    var commitOrder: [PowerHistory.Effect] {
        var seen: Set<PowerHistory.Effect> = []
        return order.reversed().filter { seen.insert($0).inserted }.reversed()
    }

    /// Returns the effects that must be in a file in which `survivors` are found.
    ///
    /// A durable call survives once it has returned. If a unit of work survives, all calls that returned before it
    /// began survive too.
    func required(with survivors: Set<PowerHistory.Effect>) -> Set<PowerHistory.Effect> {
        let durable = calls.filter { $0.value.isDurable && $0.value.end != nil }
        let lasting = calls.filter { survivors.contains($0.key) || durable[$0.key] != nil }
        let latest = lasting.map(\.value.beginning).max() ?? 0
        let earlier = calls.filter { call in call.value.end.map { $0 < latest } ?? false }
        return Set(durable.keys).union(earlier.keys)
    }
}
#endif
