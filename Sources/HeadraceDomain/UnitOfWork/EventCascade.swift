// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The events of a unit of work in the order handled, each with its cause; detects endless chains.
///
/// It is a pure value: it decides on the next event, and ``UnitOfWork`` handles it.
struct EventCascade {
    /// Maximum number of events in a chain of cause and effect.
    ///
    /// A domain that needs more has a loop in its handlers.
    static let longestChain = 64

    /// An event that a handler has raised.
    private struct Consequence {
        /// Index of the event whose handlers raised it.
        let cause: Int

        /// Length of its chain, including the event.
        let depth: Int
    }

    private(set) var events: [CollectedEvent]

    /// Number of events that no handler has raised, which come first.
    private let rootCount: Int

    /// The events after the first ``rootCount`` events.
    private var consequences: [Consequence] = []

    private var nextIndex = 0

    init(_ raised: [CollectedEvent]) {
        events = raised
        rootCount = raised.count
    }

    /// Returns the next event to handle, or `nil` if all events were handled.
    mutating func next() throws(UnitOfWorkError) -> (any DomainEvent)? {
        guard nextIndex < events.count else { return nil }
        if depth(of: nextIndex) > Self.longestChain {
            throw .endlessEvents(chain: chain(to: nextIndex))
        }
        nextIndex += 1
        return events[nextIndex - 1].event
    }

    /// Adds the events that the handlers of the last returned event have raised.
    mutating func append(_ raised: [CollectedEvent]) {
        if raised.isEmpty { return }
        let consequence = Consequence(cause: nextIndex - 1, depth: depth(of: nextIndex - 1) + 1)
        events += raised
        consequences += repeatElement(consequence, count: raised.count)
    }

    /// The length of the chain that ends at `index`.
    private func depth(of index: Int) -> Int {
        index < rootCount ? 1 : consequences[index - rootCount].depth
    }

    /// The types of the events in the chain that ends at `index`, in order.
    private func chain(to index: Int) -> [String] {
        var chain: [String] = []
        var current: Int? = index
        while let index = current {
            chain.append(String(naming: type(of: events[index].event)))
            current = index < rootCount ? nil : consequences[index - rootCount].cause
        }
        return chain.reversed()
    }
}
