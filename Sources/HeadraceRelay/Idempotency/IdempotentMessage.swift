// SPDX-License-Identifier: Apache-2.0

/// A command that declares its own idempotency key: however often it is sent, it takes effect once.
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
    /// The key: unique to this command, and equal each time that the command is sent.
    var idempotencyKey: String { get }
}
