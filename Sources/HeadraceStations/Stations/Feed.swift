//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a ``Station`` tells while it runs, to as many as listen.
///
/// ```swift
/// for await state in station.states { render(state) }
/// ```
///
/// Each iterator has a buffer of its own, which holds a number of elements; where it is full, the oldest goes, so that the
/// last one is never lost. It ends when the station is released, after what the buffer holds. It is not `Sendable` and stays
/// on the main actor, as the station does.
public struct Feed<Element>: AsyncSequence {
    private let subscribe: () -> FeedBuffer<Element>

    init(_ subscribe: @escaping () -> FeedBuffer<Element>) {
        self.subscribe = subscribe
    }

    /// Creates a feed of what `subscribe` has `core` give, as long as that is there.
    init<State, Action>(
        _ core: StationCore<State, Action>,
        limit: Int,
        _ subscribe: @escaping (StationCore<State, Action>, @escaping (Element) -> Bool) -> Void
    ) {
        self.init { [weak core] in
            let buffer = FeedBuffer<Element>(limit: limit)
            let end = buffer.makeEnd()
            guard let core else { return buffer }
            subscribe(core) { [weak buffer] element in
                _ = end
                guard let buffer else { return false }
                buffer.append(element)
                return true
            }
            return buffer
        }
    }

    /// Begins to listen: what happens from now on is told.
    public func makeAsyncIterator() -> Iterator {
        let buffer = subscribe()
        return Iterator(buffer: buffer, signals: buffer.signals.makeAsyncIterator())
    }

    /// Gives the elements in order.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: FeedBuffer<Element>
        var signals: AsyncStream<Void>.Iterator

        /// The next element; `nil` when the station was released or the task is cancelled.
        public mutating func next() async -> Element? {
            await next(isolation: #isolation)
        }

        /// The next element; `nil` when the station was released or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled {
                if let element = buffer.popFirst() { return element }
                guard await signals.next(isolation: actor) != nil else { return buffer.popFirst() }
            }
            return nil
        }
    }
}

@available(*, unavailable, message: "A feed stays on the actor of its station.")
extension Feed: Sendable {}

/// What an iterator has still to give, on the actor of the station.
final class FeedBuffer<Element> {
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let limit: Int
    private var elements: [Element] = []

    init(limit: Int) {
        precondition(limit > 0, "A feed cannot hold \(limit) elements. To fix, give it a limit of 1 or more.")
        self.limit = limit
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ element: Element) {
        if elements.count == limit { elements.removeFirst() }
        elements.append(element)
        signal.yield()
    }

    func popFirst() -> Element? {
        elements.isEmpty ? nil : elements.removeFirst()
    }

    /// Ends the feed when it is released.
    func makeEnd() -> FeedEnd {
        FeedEnd(signal)
    }
}

/// Ends a feed when whoever fills it is gone.
final class FeedEnd {
    private let signal: AsyncStream<Void>.Continuation

    init(_ signal: AsyncStream<Void>.Continuation) {
        self.signal = signal
    }

    deinit {
        signal.finish()
    }
}
