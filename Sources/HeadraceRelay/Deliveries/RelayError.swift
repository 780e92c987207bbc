// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of a relay that can't start or replay, or of an operation on deliveries.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct RelayError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<RelayError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String
}

extension RelayError {
    static func retentionTooShort(_ retention: Duration, schedule: Duration) -> RelayError {
        RelayError(
            code: .retentionTooShort,
            message: """
                Idempotency records are kept for \(retention), but a message may be retried for \(schedule). To fix, \
                raise 'idempotencyRetention' above that time, or lower 'maximumAttempts'.
                """
        )
    }

    static func invalidDeclarations(_ mistakes: [String]) -> RelayError {
        RelayError(code: .invalidDeclarations, message: mistakes.joined(separator: "\n"))
    }

    static let alreadyRunning = RelayError(
        code: .alreadyRunning,
        message: "A relay can run only once, and this relay has already been started. To fix, create a new relay."
    )

    static let ended = RelayError(
        code: .ended,
        message: "The relay has ended, so its deliveries wait for another relay. To fix, create a new relay and run it."
    )

    package static func handlersFailed(_ reasons: [String]) -> RelayError {
        RelayError(
            code: .handlerFailed,
            message: """
                A handler has failed. To fix, correct the handler, or expect this error in the test. The last attempts: \
                \(reasons.joined(separator: "\n"))
                """
        )
    }

    static func notReplayable(_ name: String) -> RelayError {
        RelayError(
            code: .notReplayable,
            message: """
                The subscription '\(name)' belongs to a process, which would send its commands again. To fix, replay other \
                subscriptions, or build a read model in a handler of its own.
                """
        )
    }

    package static func deadLetterGone(_ id: Int64) -> RelayError {
        RelayError(
            code: .deadLetterGone,
            message: """
                There is no dead letter \(id) any longer, so nothing was changed: it was replayed, corrected, or discarded. To fix, \
                read the dead letters again.
                """
        )
    }

    static func contentGone(_ id: Int64) -> RelayError {
        RelayError(
            code: .invalidCorrection,
            message: """
                The message of the dead letter \(id) is no longer stored, so its content can't be corrected. To fix, discard the \
                dead letter.
                """
        )
    }

    static func noJSON(_ id: Int64, _ failure: DecodingFailure) -> RelayError {
        RelayError(
            code: .invalidCorrection,
            message: """
                The corrected content isn't valid JSON in UTF-8: \(failure.reason). The dead letter \(id) is unchanged. To fix, correct the \
                content.
                """
        )
    }

    static func undecodable(_ id: Int64, _ name: String, _ failure: DecodingFailure) -> RelayError {
        RelayError(
            code: .invalidCorrection,
            message: """
                The corrected content can't be decoded as '\(name)': \(failure.reason). The dead letter \(id) is unchanged. To fix, correct \
                the content.
                """
        )
    }

    package static func noReplayingRelay(_ name: String) -> RelayError {
        RelayError(
            code: .unknownSubscription,
            message: """
                No relay of this store is shown that can replay '\(name)'. To fix, call 'inspector.show(relay)'. A process can't \
                be replayed.
                """
        )
    }

    static func unstoredSubscription(_ name: String, known: [String]) -> RelayError {
        RelayError(
            code: .unknownSubscription,
            message: """
                The store has no subscription '\(name)', so nothing was changed. Its subscriptions: \(known). To fix, use one \
                of these names; the first delivery to a subscription creates it.
                """
        )
    }

    static func unknownSubscription(_ name: String, known: [String]) -> RelayError {
        RelayError(
            code: .unknownSubscription,
            message: """
                No handler has the subscription '\(name)'. Known subscriptions: \(known). To fix, register its \
                handlers with the registrar of the relay.
                """
        )
    }
}

extension ErrorCode<RelayError> {
    /// Idempotency records would be removed while a command may still be retried.
    public static var retentionTooShort: Self { Self() }

    /// The relay is running or has run.
    public static var alreadyRunning: Self { Self() }

    /// The relay has ended, so it delivers nothing any longer.
    public static var ended: Self { Self() }

    /// No handler states the subscription, or the store has never had a delivery to it.
    public static var unknownSubscription: Self { Self() }

    /// The subscription belongs to a ``HeadraceProcesses/DurableProcess``, which would send its commands again.
    public static var notReplayable: Self { Self() }

    /// Two types of command or two schedules have the same name, the name of a schedule is empty or too long, the migrations of
    /// a command have a gap, the declaration of a process is incomplete, or the store can't keep schedules or processes.
    public static var invalidDeclarations: Self { Self() }

    /// The dead letter doesn't exist any longer: it was replayed, corrected, or discarded.
    public static var deadLetterGone: Self { Self() }

    /// The corrected content of a dead letter isn't JSON, or doesn't decode as the type of the message.
    public static var invalidCorrection: Self { Self() }

    /// A handler has failed in a test with `TestRelay` of `HeadraceTesting`.
    public static var handlerFailed: Self { Self() }
}
