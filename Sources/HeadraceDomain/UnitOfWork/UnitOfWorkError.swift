// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of the unit of work as such, rather than of a handler or the store.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct UnitOfWorkError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<UnitOfWorkError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The types of the events in the endless chain, in order; empty for other errors.
    package let chain: [String]

    /// The error of the nested unit of work, if the code is `rollbackOnly`.
    public let cause: (any Error)?

    static func endlessEvents(chain: [String]) -> UnitOfWorkError {
        UnitOfWorkError(
            code: .endlessEvents,
            message: """
                Pre-commit handlers raise events in an endless chain: \(chain.count) events, each the cause of the \
                next event (\(chain.suffix(3).joined(separator: " → ")) → …). Nothing was stored. To fix, find the \
                handler that closes the loop, and raise its event only if there was a change.
                """,
            chain: chain,
            cause: nil
        )
    }

    static func rollbackOnly(cause: any Error) -> UnitOfWorkError {
        UnitOfWorkError(
            code: .rollbackOnly,
            message: """
                A nested unit of work has failed, and its error was caught: \(cause). Nothing was stored, because the \
                changes of the nested unit of work can't be separated from the others. To fix, let the error end the \
                outer unit of work, too, or execute the nested unit of work outside of it.
                """,
            chain: [],
            cause: cause
        )
    }
}

extension UnitOfWorkError: RetryableError {
    /// Whether a retry may succeed, according to the ``cause``.
    public var isRetryable: Bool { (cause as? any RetryableError)?.isRetryable ?? false }

    /// Whether another writer caused the error, according to the ``cause``.
    public var isConflict: Bool { (cause as? any RetryableError)?.isConflict ?? false }

    /// The earliest time of a retry, according to the ``cause``.
    public var earliestRetry: ContinuousClock.Instant? { (cause as? any RetryableError)?.earliestRetry }
}

extension ErrorCode<UnitOfWorkError> {
    /// Pre-commit handlers raise events in an endless chain.
    public static var endlessEvents: Self { Self() }

    /// A nested unit of work has failed, and its error was caught.
    public static var rollbackOnly: Self { Self() }
}
