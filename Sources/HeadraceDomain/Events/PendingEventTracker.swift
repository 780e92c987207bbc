// SPDX-License-Identifier: Apache-2.0

/// Tracks which entities of one context have raised events, by numbers that the context assigns.
final class PendingEventTracker {
    /// The first number since the last call of ``takeAll()``.
    ///
    /// Most units of work raise the events of one entity, which needs no array.
    private var first: Int?

    /// The other numbers.
    private var others: [Int] = []

    /// Notes that the entity `number`, which had no events, has raised an event.
    func note(_ number: Int) {
        if first == nil { first = number } else { others.append(number) }
    }

    /// Returns the numbers noted since the last call, each once; `nil` if there are none.
    func takeAll() -> (first: Int, others: [Int])? {
        guard let first else { return nil }
        self.first = nil
        if others.isEmpty { return (first, []) }
        defer { others.removeAll() }
        return (first, others)
    }
}
