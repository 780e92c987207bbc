// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

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
