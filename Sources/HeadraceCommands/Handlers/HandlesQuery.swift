//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Answers one type of query.
///
/// It is made and run as a ``HandlesCommand`` is, and changes nothing.
public protocol HandlesQuery<Query>: SendableMetatype {
    /// The type of query that the handler answers.
    associatedtype Query: CQDQuery

    /// Answers `query`, in the task and on the actor of whoever dispatched it.
    ///
    /// - Throws: Whatever keeps the query from being answered; it reaches the dispatching caller as it is.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Query.Value
}
