//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// A reason why a relay does not start.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct RelayError: CodedError {
    /// What is wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case retentionTooShort, alreadyRunning, unknownSubscription }

        private let kind: Kind

        /// Idempotency records would be forgotten while a command may still be tried again.
        public static let retentionTooShort = Code(kind: .retentionTooShort)

        /// The relay runs or has run.
        public static let alreadyRunning = Code(kind: .alreadyRunning)

        /// No handler states the subscription.
        public static let unknownSubscription = Code(kind: .unknownSubscription)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What is wrong.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String
}

extension RelayError {
    static func retentionTooShort(_ retention: Duration, schedule: Duration) -> RelayError {
        RelayError(
            code: .retentionTooShort,
            message: """
                Idempotency records are kept for \(retention), and a message may be tried again for \(schedule). To fix, \
                set 'idempotencyRetention' to more than that, or allow fewer attempts.
                """
        )
    }

    static let alreadyRunning = RelayError(
        code: .alreadyRunning,
        message: "A relay runs once, and this one does or did. To fix, make another one."
    )

    static func unknownSubscription(_ name: String, known: [String]) -> RelayError {
        RelayError(
            code: .unknownSubscription,
            message: """
                No handler states the subscription '\(name)'; there are \(known). To fix, register its handlers with the \
                registrar of the relay.
                """
        )
    }
}
