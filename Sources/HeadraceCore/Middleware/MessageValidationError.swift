// SPDX-License-Identifier: Apache-2.0

/// An error for an invalid message, with all failures.
public struct MessageValidationError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// The failures in the order of the checks, at least one.
    public let failures: [Validation.Failure]

    /// The only code: `invalid`.
    public var code: String { "invalid" }

    /// The type of the message, and all failures.
    public var message: String {
        """
        '\(messageType)' is invalid, so it wasn't handled: \
        \(failures.map(\.description).joined(separator: "; ")). To fix, correct these fields and send it again.
        """
    }
}
