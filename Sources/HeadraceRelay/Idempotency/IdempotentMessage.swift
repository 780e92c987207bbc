//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A command that states its own idempotency key: however often it is sent, it takes effect once.
///
/// ```swift
/// struct PlaceOrder: CQDCommand, IdempotentMessage {
///     var orderId: UUID
///     var idempotencyKey: String { "place-order/\(orderId)" }
/// }
/// ```
///
/// A command is recognized by its JSON, in which sets and dictionaries are sorted. If your own `encode(to:)` writes the
/// elements of a set one by one, sort them first.
public protocol IdempotentMessage: Sendable, Encodable {
    /// What tells this command from others that look the same, and is equal each time that this one is sent.
    var idempotencyKey: String { get }
}
