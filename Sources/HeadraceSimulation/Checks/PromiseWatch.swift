// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// Watches the store of a simulation and the relays of its nodes, and reports broken promises.
///
/// It keeps its own books about commits, keys, deliveries, and processes, and compares them with what the store does. The work for a
/// change is in proportion to the change. Only a crash, an operation on dead letters, and the end of a run compare everything.
final class PromiseWatch: Sendable {
    private struct State {
        var log = WatchedLog()
        var keys = WatchedKeys()
        var deliveries = WatchedDeliveries()
        var processes = WatchedProcesses()
    }

    private let state = Mutex(State())
    private let report: @Sendable (String) -> Void

    init(report: @escaping @Sendable (String) -> Void) {
        self.report = report
    }

    /// Changes the books, and reports the violations.
    private func note(_ body: (inout State) -> [String?]) {
        for case let violation? in state.withLock({ body(&$0) }) { report(violation) }
    }

    // MARK: Commits

    /// Notes that the store has taken over the changes of `node`, and has `contents` now.
    ///
    /// `isWatched` is whether ``noteHandling(of:by:)`` is called for each handler of the node.
    func noteCommit(of changes: ChangeSet, by node: String, isWatched: Bool, _ contents: InMemoryStore.Contents) {
        note { state in
            let (positions, violation) = state.log.note(changes.events, by: node, in: contents)
            var violations = [violation, state.keys.note(changes.idempotencyRecords, by: node)]
            violations += changes.settlements.map { settlement in
                state.deliveries.settle(settlement, by: node, isWatched: isWatched, isInCommit: true)
            }
            state.deliveries.note(changes.deliveries, of: changes.events, at: positions)
            return violations + [state.processes.note(changes, by: node)]
        }
    }

    /// Notes that `node` was told that its changes are durable.
    func noteAcknowledgement(of changes: ChangeSet, to node: String) {
        note { state in
            [
                state.log.acknowledge(changes.events, to: node),
                state.keys.acknowledge(changes.idempotencyRecords, to: node),
            ]
        }
    }

    // MARK: Deliveries

    /// Notes that the store has leased deliveries to `node`.
    func noteLease(of lanes: [[Delivery]], to node: String) {
        note { state in lanes.map { state.deliveries.lease($0, by: node) } }
    }

    /// Notes that a handler of `node` has handled `delivery`.
    func noteHandling(of delivery: Delivery, by node: String) {
        note { state in [state.deliveries.handle(delivery, by: node)] }
    }

    /// Notes that a relay gives `delivery` up.
    func noteEnd(of delivery: Delivery) {
        state.withLock { $0.deliveries.giveUp(delivery) }
    }

    /// Notes that the store has accepted `settlements` of `node`.
    func noteSettlements(_ settlements: [Settlement], by node: String, isWatched: Bool) {
        note { state in
            settlements.map { settlement in
                state.deliveries.settle(settlement, by: node, isWatched: isWatched, isInCommit: false)
            }
        }
    }

    // MARK: The whole store

    /// Notes that the store removes old records.
    func notePruning(_ request: PruneRequest) {
        guard let date = request.idempotencyRecordsBefore else { return }
        state.withLock { $0.keys.notePruning(before: date) }
    }

    /// Notes that a crash has left `contents`.
    func noteCrash(_ contents: InMemoryStore.Contents) {
        compare(with: contents, afterCrash: true)
    }

    /// Notes that an operator has changed the deliveries, and that the store has `contents` now.
    func noteOperation(_ contents: InMemoryStore.Contents) {
        note { state in [state.deliveries.compare(with: contents, afterCrash: false)] }
    }

    /// Compares everything with `contents` at the end of a run.
    func noteEnd(_ contents: InMemoryStore.Contents) {
        compare(with: contents, afterCrash: false)
    }

    private func compare(with contents: InMemoryStore.Contents, afterCrash: Bool) {
        note { state in
            if afterCrash { state.processes.forget() }
            return [
                state.log.compare(with: contents, afterCrash: afterCrash),
                state.keys.compare(with: contents, afterCrash: afterCrash),
                state.deliveries.compare(with: contents, afterCrash: afterCrash),
            ]
        }
    }
}

/// Tells the watch which deliveries the relay of a node has handled.
struct WatchingRelayObserver: RelayObserver {
    let watch: PromiseWatch
    let node: String

    func delivered(_ delivery: Delivery) {
        watch.noteHandling(of: delivery, by: node)
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        watch.noteEnd(of: delivery)
    }
}
#endif
