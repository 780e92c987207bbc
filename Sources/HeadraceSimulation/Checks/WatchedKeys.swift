// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceStorage

/// The commands with idempotency keys that have taken effect.
struct WatchedKeys: Sendable {
    private struct Effect {
        let node: String
        let date: Date
        var isAcknowledged = false
    }

    private var effects: [String: Effect] = [:]

    /// The time before which records can be removed.
    private var prunedBefore = Date.distantPast

    /// Notes that `node` has committed the effects of the commands with `records`.
    ///
    /// - Returns: A violation.
    mutating func note(_ records: [IdempotencyRecord], by node: String) -> String? {
        var violation: String?
        for record in records {
            if let first = effects[record.key], first.date >= prunedBefore {
                violation =
                    violation
                        ?? """
                        The command with the idempotency key '\(record.key)' has taken effect twice: '\(first.node)' has \
                        committed it, and then '\(node)'.
                        """
            }
            effects[record.key] = Effect(node: node, date: record.date)
        }
        return violation
    }

    /// Notes that `node` was told that the effects of the commands with `records` are durable.
    mutating func acknowledge(_ records: [IdempotencyRecord], to node: String) -> String? {
        for record in records {
            if effects[record.key] == nil, record.date >= prunedBefore {
                return """
                    The effect of the command with the idempotency key '\(record.key)' was acknowledged to '\(node)', and is \
                    lost.
                    """
            }
            effects[record.key]?.isAcknowledged = true
        }
        return nil
    }

    /// Notes that records from before `date` can be removed.
    mutating func notePruning(before date: Date) {
        prunedBefore = max(prunedBefore, date)
    }

    /// Compares the keys with `contents`; after a crash, keys that weren't acknowledged can be missing.
    ///
    /// - Returns: A violation.
    mutating func compare(with contents: InMemoryStore.Contents, afterCrash: Bool) -> String? {
        var lost: [String] = []
        for (key, effect) in effects where !contents.hasRecord(of: key) {
            if effect.date >= prunedBefore, effect.isAcknowledged || !afterCrash { lost.append(key) }
            effects[key] = nil
        }
        return lost.min().map { "The record of the command with the idempotency key '\($0)' is lost." }
    }
}
#endif
