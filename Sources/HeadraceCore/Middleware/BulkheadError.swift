// SPDX-License-Identifier: Apache-2.0

/// An error for a message that was refused, because too many messages are being handled or are waiting.
public struct BulkheadError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// Key of the compartment.
    public let compartment: String

    /// The only code: `bulkheadFull`.
    public var code: String { "bulkheadFull" }

    /// A description of the error and its fix.
    public var message: String {
        """
        The compartment '\(compartment)' is full, so '\(messageType)' wasn't handled. To fix, send it again later, or \
        raise the limits of the compartment.
        """
    }

    init(_ context: MessageContext, compartment: String) {
        messageType = context.typeName
        self.compartment = compartment
    }
}

extension BulkheadError: RetryableError {
    /// Always true, because the message wasn't handled.
    public var isRetryable: Bool { true }
}
