// SPDX-License-Identifier: Apache-2.0

/// A message that changes nothing, and for which exactly one handler returns a stream of values.
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
    /// The type of the values in the stream.
    ///
    /// It need not be `Sendable`, because the values stay in the isolation of the caller.
    associatedtype Element
}
