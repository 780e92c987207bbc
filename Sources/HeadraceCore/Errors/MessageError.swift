//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A refusal of a message before its handler.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct MessageError: Error, Sendable, CustomStringConvertible {
    /// Why it was refused, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case deadlineExceeded, refused }

        private let kind: Kind

        /// The deadline of the message has passed.
        public static let deadlineExceeded = Code(kind: .deadlineExceeded)

        /// A middleware did not let it be handled.
        public static let refused = Code(kind: .refused)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// Why it was refused.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func deadlineExceeded(_ context: MessageContext, by duration: Duration) -> MessageError {
        MessageError(
            code: .deadlineExceeded,
            message: """
                The deadline of '\(context.typeName)' passed \(duration) before it was to be handled; it was not. \
                To fix, allow more time, or send less at once.
                """
        )
    }
}
