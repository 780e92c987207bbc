//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The events of a unit of work, in the order handled, with what each came of; finds those that never end.
///
/// Pure: it decides what is next, ``UnitOfWork`` does it.
struct EventCascade {
    /// How many events may follow from one another.
    ///
    /// A domain that needs more has a loop in its handlers.
    static let longestChain = 64

    private(set) var events: [CollectedEvent]

    /// For each event the index of the one whose handlers raised it.
    private var causes: [Int?]

    /// For each event the number of events that led to it, itself included.
    private var depths: [Int]

    private var nextIndex = 0

    init(_ raised: [CollectedEvent]) {
        events = raised
        causes = Array(repeating: nil, count: raised.count)
        depths = Array(repeating: 1, count: raised.count)
    }

    /// Gives the event to handle next, or `nil` when all were.
    mutating func next() throws(UnitOfWorkError) -> CollectedEvent? {
        guard nextIndex < events.count else { return nil }
        defer { nextIndex += 1 }
        if depths[nextIndex] > Self.longestChain {
            throw .endlessEvents(chain: chain(to: nextIndex))
        }
        return events[nextIndex]
    }

    /// Adds what the handlers of the event given last have raised.
    mutating func append(_ raised: [CollectedEvent]) {
        let cause = nextIndex - 1
        for event in raised {
            events.append(event)
            causes.append(cause)
            depths.append(depths[cause] + 1)
        }
    }

    /// The types of the events that led to the one at `index`, the first one first.
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
