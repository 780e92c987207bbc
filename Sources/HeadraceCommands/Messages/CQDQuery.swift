//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A question that changes nothing: a message that one handler answers with a ``Value``.
///
/// ```swift
/// struct GetInfoQuery: CQDQuery {
///     typealias Value = Info
///     var subject: String
/// }
/// ```
public protocol CQDQuery<Value>: DispatchedMessage where Output == Value {
    /// What the query is answered with. It need not be `Sendable`: it stays in the isolation of whoever asks.
    associatedtype Value
}
