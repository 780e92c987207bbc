// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The values that a stream query returns, each made on demand.
///
/// ```swift
/// for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
///     if entry.isLast { break }
/// }
/// ```
///
/// - Values are neither read ahead nor buffered. Each call of `next()` gets one value from the handler's sequence, in the
///   task and on the actor of the caller.
/// - The handler's sequence is released when it ends or throws, when the loop ends, and when the task is cancelled. If the
///   sequence ignores cancellation, it is released at the next call of `next()`. The handler and its scope are released
///   with it.
/// - In a cancelled task, `next()` throws `CancellationError` and doesn't return `nil`, so an incomplete stream doesn't look
///   complete.
/// - Middleware surrounds only the call of the handler, before the first value. A later error reaches only the caller of
///   `next()`.
///
/// Iterate it once, unless the handler's sequence supports several iterations.
public struct QueryStream<Element>: AsyncSequence {
    /// An error of the handler's sequence, or `CancellationError`.
    public typealias Failure = any Error

    private let makeSource: () -> ValueSource<Element>
    private var context: MessageContext?

    /// Creates a stream of the values of `sequence`.
    public init<Values: AsyncSequence>(_ sequence: Values) where Values.Element == Element {
        self.init(sequence, keeping: ())
    }

    /// Creates a stream of the values that `next` returns, until `next` returns `nil`.
    ///
    /// `next` is called once per value, in the task and on the actor of the caller. Its captured values need not be
    /// `Sendable`, and are released at the end of the stream, so you can close resources in a `deinit`.
    public init(unfolding next: nonisolated(nonsending) @escaping () async throws -> Element?) {
        makeSource = { UnfoldingSource(next) }
    }

    /// Creates a stream that keeps `company` alive as long as the stream can be iterated.
    init<Values: AsyncSequence, Company>(_ sequence: Values, keeping company: Company)
    where Values.Element == Element {
        makeSource = { SequenceSource(sequence.makeAsyncIterator(), keeping: company) }
    }

    /// Returns the same stream, with `context` as the context in which its values are made.
    func handled(as context: MessageContext?) -> QueryStream {
        var stream = self
        stream.context = context
        return stream
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: makeSource(), context: context)
    }

    /// An iterator over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var source: ValueSource<Element>?
        fileprivate let context: MessageContext?

        /// Returns the next value, or `nil` after the last value.
        ///
        /// - Throws: An error of the handler's sequence; `CancellationError`. Both end the stream.
        public mutating func next() async throws -> Element? {
            try await next(isolation: #isolation)
        }

        /// Returns the next value, on `actor`, or `nil` after the last value.
        ///
        /// - Throws: The same errors as ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            guard let current = source else { return nil }
            // Only a value continues the stream. In all other cases, the source is released.
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

/// The source of the values of a stream, for any type of sequence.
class ValueSource<Element> {
    nonisolated(nonsending) func next() async throws -> Element? {
        preconditionFailure("abstract")
    }
}

extension ValueSource {
    /// Returns the next value, made in `context`.
    nonisolated(nonsending) func next(in context: MessageContext?) async throws -> Element? {
        guard let context else { return try await next() }
        return try await MessageContext.withCurrent(context) { try await next() }
    }
}

/// A source that gets its values from an iterator, and keeps `company` alive.
final class SequenceSource<Base: AsyncIteratorProtocol, Company>: ValueSource<Base.Element> {
    private var base: Base
    private let company: Company

    init(_ base: Base, keeping company: Company) {
        self.base = base
        self.company = company
    }

    override nonisolated(nonsending) func next() async throws -> Base.Element? {
        try await base.next(isolation: #isolation)
    }
}

/// A source that gets its values from a closure.
final class UnfoldingSource<Element>: ValueSource<Element> {
    private let body: nonisolated(nonsending) () async throws -> Element?

    init(_ body: nonisolated(nonsending) @escaping () async throws -> Element?) {
        self.body = body
    }

    override nonisolated(nonsending) func next() async throws -> Element? {
        try await body()
    }
}
