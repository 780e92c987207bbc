//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The events of a unit of work in the order handled, each with its cause; detects endless chains.
///
/// It is a pure value: it decides on the next event, and ``UnitOfWork`` handles it.
struct EventCascade {
    /// Maximum number of events in a chain of cause and effect.
    ///
    /// A domain that needs more has a loop in its handlers.
    static let longestChain = 64

    private(set) var events: [CollectedEvent]

    /// For each event, the index of the event whose handlers raised it.
    private var causes: [Int?]

    /// For each event, the length of its chain, including the event.
    private var depths: [Int]

    private var nextIndex = 0

    init(_ raised: [CollectedEvent]) {
        events = raised
        causes = Array(repeating: nil, count: raised.count)
        depths = Array(repeating: 1, count: raised.count)
    }

    /// Returns the next event to handle, or `nil` if all events were handled.
    mutating func next() throws(UnitOfWorkError) -> CollectedEvent? {
        guard nextIndex < events.count else { return nil }
        defer { nextIndex += 1 }
        if depths[nextIndex] > Self.longestChain {
            throw .endlessEvents(chain: chain(to: nextIndex))
        }
        return events[nextIndex]
    }

    /// Adds the events that the handlers of the last returned event have raised.
    mutating func append(_ raised: [CollectedEvent]) {
        let cause = nextIndex - 1
        for event in raised {
            events.append(event)
            causes.append(cause)
            depths.append(depths[cause] + 1)
        }
    }

    /// The types of the events in the chain that ends at `index`, in order.
    private func chain(to index: Int) -> [String] {
        var chain: [String] = []
        var current: Int? = index
        while let index = current {
            chain.append(String(naming: type(of: events[index].event)))
            current = causes[index]
        }
        return chain.reversed()
    }
}
