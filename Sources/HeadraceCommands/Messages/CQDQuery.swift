// SPDX-License-Identifier: Apache-2.0

/// A message that changes nothing, and for which exactly one handler returns a ``Value``.
///
/// ```swift
/// struct GetInfoQuery: CQDQuery {
///     typealias Value = Info
///     var subject: String
/// }
/// ```
public protocol CQDQuery<Value>: DispatchedMessage where Output == Value {
    /// The type of the returned value.
    ///
    /// It need not be `Sendable`, because it stays in the isolation of the caller.
    associatedtype Value
}
