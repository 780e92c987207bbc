//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution

/// Answers one type of stream query.
///
/// It is made as a ``HandlesCommand`` is, and kept as long as the stream that it gives.
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
    /// The type of query that the handler answers.
    associatedtype Query: CQDStreamQuery

    /// What the handler answers with.
    associatedtype Values: AsyncSequence where Values.Element == Query.Element

    /// Begins to answer `query`, in the task and on the actor of whoever dispatched it.
    ///
    /// The sequence is iterated at most as fast as the asker asks, and let go of at the end of the iteration, of
    /// the asker's interest or of its task: what it holds open it closes then. ``QueryStream`` says more.
    ///
    /// - Throws: Whatever keeps the query from being answered; it reaches the dispatching caller as it is, as does
    ///   what the sequence throws.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Values
}

extension HandlesStreamQuery {
    /// Begins to answer `query` with a stream that keeps the handler and its scope.
    nonisolated(nonsending) func start(
        _ query: Query,
        in scope: any DependencyResolutionScope
    ) async throws -> QueryStream<Query.Element> {
        QueryStream(try await handle(query), keeping: (self, scope))
    }
}
