// SPDX-License-Identifier: Apache-2.0

/// A command that names the things it changes, so that commands which change the same things run one at a time.
///
/// ```swift
/// struct Withdraw: CQDCommand, SerializedCommand {
///     let account: String
///     let amount: Int
///
///     var lockKeys: Set<String> { [account] }
/// }
/// ```
///
/// ``SerializingMiddleware`` keeps the order.
public protocol SerializedCommand: Sendable {
    /// Names of all things that the command and its nested commands change; empty if it can run at any time.
    var lockKeys: Set<String> { get }
}
