// SPDX-License-Identifier: Apache-2.0

/// The outcome of a message.
public enum MessageOutcome: Sendable {
    /// The message was handled.
    case success

    /// The message was refused, or its handler failed, with this error; including cancellation.
    case failure(any Error)
}
