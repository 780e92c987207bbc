// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The session of a unit of work: it tracks the entities in use and commits their changes.
///
/// Usually this is ``EntityContext``. Conform another kind of session (for example, the object graph of a framework) to
/// run units of work on it.
public protocol DomainContext: AnyObject {
    /// Takes the events that the entities in use have raised since the last call, in the order raised.
    ///
    /// An entity is in use if it was found, fetched, inserted, changed, or deleted since the last commit or roll-back.
    /// A context that can list its entities uses ``CollectedEvent/take(from:)``.
    func takeEvents() -> [CollectedEvent]

    /// The identity for joining: a unit of work within another unit of work on the same identity joins it.
    var joinIdentity: ObjectIdentifier { get }

    /// Whether ``commit(_:)`` stores deliveries of events to subscriptions; `false` by default.
    ///
    /// If it doesn't, durable handlers run in process, like handlers without a subscription.
    var storesDeliveries: Bool { get }

    /// Commits all changes together with the durable events among `events`, or stores neither.
    ///
    /// - Throws: An error if the changes can't be stored. The unit of work calls ``rollback()`` next.
    nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws

    /// Discards all uncommitted changes.
    func rollback()
}

extension DomainContext {
    /// The context's own identity: only units of work on this context join.
    public var joinIdentity: ObjectIdentifier { ObjectIdentifier(self) }

    /// The default, `false`.
    public var storesDeliveries: Bool { false }
}

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
