// SPDX-License-Identifier: Apache-2.0

/// A root message with a name of its own for logs, metrics, traces, and an inspector.
///
/// ```swift
/// struct Upload: NamedMessage {
///     var bucket: Bucket
///     var messageName: String { "upload to \(bucket)" }
/// }
/// ```
///
/// Without it, the name of a message is the name of its type. See ``MessageContext/name``.
public protocol NamedMessage: Sendable {
    /// The name of the message, from a small set of names, because it is a metric label.
    ///
    /// For an HTTP request, it contains the path of the route, not the path of the request.
    var messageName: String { get }
}
