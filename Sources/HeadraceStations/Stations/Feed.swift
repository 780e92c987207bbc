// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// A sequence of the states or reductions of a ``Station``, for any number of consumers.
///
/// ```swift
/// for await state in station.states { render(state) }
/// ```
///
/// Each iterator has its own buffer. If the buffer is full, the oldest element is dropped, so the last element is never
/// lost. The feed ends after the buffered elements when the station is released. It isn't `Sendable` because it stays on
/// the main actor, as the station does.
public struct Feed<Element>: AsyncSequence {
    private let subscribe: () -> FeedBuffer<Element>

    init(_ subscribe: @escaping () -> FeedBuffer<Element>) {
        self.subscribe = subscribe
    }

    /// Creates a feed of the elements that `core` delivers to the closure of `subscribe`, until `core` is released.
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

    /// Returns an iterator, which receives the elements from now on.
    public func makeAsyncIterator() -> Iterator {
        let buffer = subscribe()
        return Iterator(buffer: buffer, signals: buffer.signals.makeAsyncIterator())
    }

    /// An iterator over the elements in their order.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: FeedBuffer<Element>
        var signals: AsyncStream<Void>.Iterator

        /// Returns the next element; `nil` if the station was released or the task was cancelled.
        public mutating func next() async -> Element? {
            await next(isolation: #isolation)
        }

        /// Returns the next element; `nil` if the station was released or the task was cancelled.
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

/// The buffered elements of an iterator, on the actor of the station.
final class FeedBuffer<Element> {
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let limit: Int
    private var elements: Deque<Element> = []

    init(limit: Int) {
        precondition(limit > 0, "A feed can't buffer \(limit) elements. To fix, pass a limit of 1 or more.")
        self.limit = limit
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ element: Element) {
        if elements.count == limit { elements.removeFirst() }
        elements.append(element)
        signal.yield()
    }

    func popFirst() -> Element? {
        elements.popFirst()
    }

    /// Returns an object that ends the feed when it is released.
    func makeEnd() -> FeedEnd {
        FeedEnd(signal)
    }
}

/// Ends a feed when the closure that fills it is released.
final class FeedEnd {
    private let signal: AsyncStream<Void>.Continuation

    init(_ signal: AsyncStream<Void>.Continuation) {
        self.signal = signal
    }

    deinit {
        signal.finish()
    }
}
