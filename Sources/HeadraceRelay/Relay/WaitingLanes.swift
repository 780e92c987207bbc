// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceStorage

/// The leased lanes that no worker has begun, and the decision which lane is next.
///
/// Lanes run in the order of their leases, with two exceptions: lanes of a subscription that has as many running handlers
/// as its limit allows, and suspects, which are deliveries that may have ended a process.
struct WaitingLanes {
    /// Maximum number of other lanes that may begin before a waiting suspect.
    static let patience = 256

    /// Lanes in the order of their leases, with ascending numbers.
    private typealias Line = Deque<(number: UInt64, batch: [Delivery])>

    /// The lanes of a subscription with a limit.
    private struct Limited {
        let limit: Int
        var line: Line = []
        var runningCount = 0

        /// Number of lanes that wait or run, including suspects.
        var count = 0

        var hasRoom: Bool { runningCount < limit }
    }

    private var line: Line = []
    private var limited: [String: Limited]
    private var lastNumber: UInt64 = 0

    /// Deliveries that may have ended a process, sorted by number of attempts.
    private var suspects: [[Delivery]] = []

    /// The suspect that is being handled.
    private var runningSuspect: Lease?

    /// Number of other lanes that have begun while a suspect waits.
    private var passedSuspects = 0

    /// Creates an empty collection.
    ///
    /// `limits` are the numbers of handlers that may run at the same time, by subscription.
    init(limits: [String: Int] = [:]) {
        limited = limits.mapValues { Limited(limit: max(1, $0)) }
    }

    /// Returns the number of lanes of a subscription with a limit that wait or run.
    func count(of subscription: String) -> Int {
        limited[subscription]?.count ?? 0
    }

    mutating func append(_ batch: [Delivery]) {
        guard let first = batch.first else { return }
        limited[first.subscription]?.count += 1
        if first.isSuspect {
            let index = suspects.firstIndex { $0[0].attempt > first.attempt } ?? suspects.endIndex
            suspects.insert(batch, at: index)
            return
        }
        lastNumber += 1
        if limited[first.subscription] == nil {
            line.append((lastNumber, batch))
        } else {
            limited[first.subscription]?.line.append((lastNumber, batch))
        }
    }

    /// Returns the next lane to handle; call ``end(_:)`` after it was handled.
    ///
    /// One suspect runs at a time. If it ends the process, an attempt counts for it and for no other suspect. So a
    /// healthy delivery that is leased beside it doesn't use up its attempts. Suspects run when no other lane can run, or
    /// after ``patience`` other lanes.
    mutating func next() -> [Delivery]? {
        let candidate = nextLine()
        if runningSuspect == nil, candidate == nil || passedSuspects >= Self.patience,
            let index = suspects.firstIndex(where: { limited[$0[0].subscription]?.hasRoom ?? true })
        {
            passedSuspects = 0
            let batch = suspects.remove(at: index)
            runningSuspect = batch[0].lease
            return begin(batch)
        }
        guard let candidate else { return nil }
        if !suspects.isEmpty { passedSuspects += 1 }
        switch candidate {
        case .unlimited: return line.popFirst()?.batch
        case .limited(let subscription): return (limited[subscription]?.line.popFirst()).map { begin($0.batch) }
        }
    }

    /// Notes that `batch` was handled, or that its lease has ended.
    mutating func end(_ batch: [Delivery]) {
        guard let first = batch.first else { return }
        if runningSuspect == first.lease { runningSuspect = nil }
        limited[first.subscription]?.runningCount -= 1
        limited[first.subscription]?.count -= 1
    }

    /// Removes and returns all lanes of the subscriptions that meet `condition`, in a defined order.
    mutating func removeAll(where condition: (_ subscription: String) -> Bool = { _ in true }) -> [[Delivery]] {
        func isRemoved(_ batch: [Delivery]) -> Bool { batch.first.map { condition($0.subscription) } ?? true }
        var removed = line.map(\.batch).filter(isRemoved)
        line.removeAll { isRemoved($0.batch) }
        for name in limited.keys.sorted() where condition(name) {
            removed += limited[name]?.line.map(\.batch) ?? []
            limited[name]?.line = []
        }
        removed += suspects.filter(isRemoved)
        suspects.removeAll(where: isRemoved)
        for batch in removed { if let name = batch.first?.subscription { limited[name]?.count -= 1 } }
        return removed
    }

    private enum Candidate {
        case unlimited
        case limited(String)
    }

    /// Returns where the lane is that was leased first among those that may run.
    private func nextLine() -> Candidate? {
        var (earliest, candidate): (UInt64, Candidate?) = (.max, nil)
        if let first = line.first?.number { (earliest, candidate) = (first, .unlimited) }
        for (name, subscription) in limited where subscription.hasRoom {
            if let first = subscription.line.first?.number, first < earliest {
                (earliest, candidate) = (first, .limited(name))
            }
        }
        return candidate
    }

    private mutating func begin(_ batch: [Delivery]) -> [Delivery] {
        limited[batch[0].subscription]?.runningCount += 1
        return batch
    }
}

extension Delivery {
    /// Whether an attempt counts that has ended without an outcome, so that it may have ended its process.
    fileprivate var isSuspect: Bool { mayHaveRun && attempt > 1 }
}
