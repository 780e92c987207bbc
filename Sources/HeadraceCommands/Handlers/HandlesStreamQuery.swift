// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution

/// Handles one type of stream query.
///
/// It is made like a ``HandlesCommand``, and lives as long as the stream that it returns.
///
/// ```swift
/// @Resolvable
/// final class ListEntriesQueryHandler: HandlesStreamQuery {
///     private let books: any Books
///
///     func handle(_ query: ListEntriesQuery) async throws -> some AsyncSequence<Entry, any Error> {
///         let cursor = try books.openCursor(account: query.account)
///         return QueryStream { try await cursor.next() }
///     }
/// }
/// ```
public protocol HandlesStreamQuery<Query>: SendableMetatype {
    /// The type of query that the handler takes.
    associatedtype Query: CQDStreamQuery

    /// The sequence that the handler returns.
    associatedtype Values: AsyncSequence where Values.Element == Query.Element

    /// Returns the sequence for `query`, in the task and on the actor of the caller that dispatched it.
    ///
    /// The sequence is iterated only on demand. It is released when the iteration ends, when the caller stops iterating, or
    /// when the task of the caller is cancelled, and should close its resources then. See ``QueryStream``.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped, like an error of the sequence.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Values
}

extension HandlesStreamQuery {
    /// Handles `query`, and returns a stream that keeps the handler and its scope alive.
    nonisolated(nonsending) func start(
        _ query: Query,
        in scope: any DependencyResolutionScope
    ) async throws -> QueryStream<Query.Element> {
        QueryStream(try await handle(query), keeping: (self, scope))
    }
}
