//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A question that changes nothing and has many answers: a message that one handler answers with a stream.
///
/// ```swift
/// struct ListEntriesQuery: CQDStreamQuery {
///     typealias Element = Entry
///     var account: String
/// }
///
/// for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
///     print(entry)
/// }
/// ```
public protocol CQDStreamQuery<Element>: DispatchedMessage where Output == QueryStream<Element> {
    /// One of the values that the query is answered with.
    ///
    /// It need not be `Sendable`: it stays in the isolation of whoever asks.
    associatedtype Element
}
