//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The handling of a message took too long, and was ended.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct TimeoutError: CodedError {
    /// What became of the handling, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case timedOut, finishedLate }

        private let kind: Kind

        /// It was cancelled and failed.
        public static let timedOut = Code(kind: .timedOut)

        /// It was cancelled and succeeded all the same: what it returned is dropped, what it did is done.
        ///
        /// A unit of work around the timeout still takes back what was done in it.
        public static let finishedLate = Code(kind: .finishedLate)

        /// The name of the code, suitable as a metric label.
        public var description: String { kind.rawValue }
    }

    /// What became of the handling.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The name of the message's type, with its module.
    public let messageType: String

    /// How long the handling was let run.
    public let limit: Duration

    /// What the handling threw after it was cancelled, as a rule a `CancellationError`; `nil` where it succeeded.
    public let cause: (any Error)?

    init(_ context: MessageContext, limit: Duration, cause: (any Error)?) {
        code = cause == nil ? .finishedLate : .timedOut
        messageType = context.typeName
        self.limit = limit
        self.cause = cause
        let ending = cause == nil ? "succeeded afterwards, so what it did is done" : "was cancelled"
        message = """
            Handling '\(messageType)' took longer than \(limit) and \(ending). To fix, allow it more time, or let the \
            handler do less and end when it is cancelled.
            """
    }
}

extension TimeoutError: RetryableError {
    /// Whether the handling ended because it was cancelled, or in an error that may be retried.
    public var isRetryable: Bool {
        cause is CancellationError || (cause as? any RetryableError)?.isRetryable == true
    }
}
