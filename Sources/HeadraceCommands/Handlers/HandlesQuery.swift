// SPDX-License-Identifier: Apache-2.0

/// Handles one type of query.
///
/// It is made and called like a ``HandlesCommand``, but it only reads.
public protocol HandlesQuery<Query>: SendableMetatype {
    /// The type of query that the handler takes.
    associatedtype Query: CQDQuery

    /// Returns the value for `query`, in the task and on the actor of the caller that dispatched it.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Query.Value
}
