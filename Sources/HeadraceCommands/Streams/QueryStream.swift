//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The values that answer a stream query, each made when it is asked for.
///
/// ```swift
/// for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
///     if entry.isLast { break }
/// }
/// ```
///
/// - Nothing is read ahead and nothing is kept back: asking for a value asks the handler's sequence for one, in the
///   task and on the actor of whoever asks.
/// - The handler's sequence is let go of as soon as it ends or throws, when the loop is left, and when the task is
///   cancelled (in that case at the next value asked for, where the sequence itself does not notice). The handler
///   and its scope end with it.
/// - A cancelled task gets `CancellationError`, not the end of the stream: what was cut short does not look whole.
/// - Middleware wraps the beginning of the stream, up to the first value; a failure after that concerns the asker.
///
/// It is as often iterable as the handler's sequence is; iterate it once.
public struct QueryStream<Element>: AsyncSequence {
    /// Iterating fails with whatever the handler's sequence fails with, or `CancellationError`.
    public typealias Failure = any Error

    private let makeSource: () -> ValueSource<Element>
    private var context: MessageContext?

    /// Creates a stream of the values of `sequence`.
    public init<Values: AsyncSequence>(_ sequence: Values) where Values.Element == Element {
        self.init(sequence, keeping: ())
    }

    /// Creates a stream of what `next` gives until it gives `nil`.
    ///
    /// It is called for each value that is asked for, in the task and on the actor of whoever asks. What it captures
    /// need not be `Sendable`, and is let go of at the end of the stream: close in a `deinit` what is to be closed.
    public init(unfolding next: nonisolated(nonsending) @escaping () async throws -> Element?) {
        makeSource = { UnfoldingSource(next) }
    }

    /// Creates a stream that keeps `company` as long as it is iterated, or may be.
    init<Values: AsyncSequence, Company>(_ sequence: Values, keeping company: Company)
    where Values.Element == Element {
        makeSource = { SequenceSource(sequence.makeAsyncIterator(), keeping: company) }
    }

    /// The same stream, whose values are made as part of the handling of `context`.
    func handled(as context: MessageContext?) -> QueryStream {
        var stream = self
        stream.context = context
        return stream
    }

    /// Begins to iterate.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: makeSource(), context: context)
    }

    /// Gives the values one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var source: ValueSource<Element>?
        fileprivate let context: MessageContext?

        /// Gives the next value, or `nil` after the last one.
        ///
        /// - Throws: What the handler's sequence throws; `CancellationError`. After that the stream has ended.
        public mutating func next() async throws -> Element? {
            try await next(isolation: #isolation)
        }

        /// Gives the next value, on `actor`, or `nil` after the last one.
        ///
        /// - Throws: As of ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            guard let current = source else { return nil }
            // Whatever happens, but for a value, ends the stream: then nothing refers to the source any more.
            source = nil
            try Task.checkCancellation()
            guard let value = try await current.next(in: context) else {
                try Task.checkCancellation()
                return nil
            }
            source = current
            return value
        }
    }
}

@available(*, unavailable)
extension QueryStream.AsyncIterator: Sendable {}
