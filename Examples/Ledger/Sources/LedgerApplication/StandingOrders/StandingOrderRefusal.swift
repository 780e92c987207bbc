// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// An error that is thrown if a number of a standing order is out of its range.
///
/// Branch on ``code-swift.property``, log ``message``. Later releases may add codes.
public struct StandingOrderRefusal: CodedError {
    /// The reason, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case invalidCount, invalidInterval }

        private let kind: Kind

        /// The number of payments is less than 1.
        public static let invalidCount = Code(kind: .invalidCount)

        /// The time between two payments isn't a whole number of seconds, or is less than one second.
        public static let invalidInterval = Code(kind: .invalidInterval)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The reason.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    static func count(_ count: Int) -> StandingOrderRefusal {
        StandingOrderRefusal(
            code: .invalidCount,
            message: "A standing order can't have \(count) payments. To fix, use a number of at least 1."
        )
    }

    static func interval(_ interval: Duration) -> StandingOrderRefusal {
        StandingOrderRefusal(
            code: .invalidInterval,
            message: "A standing order can't be paid every \(interval). To fix, use whole seconds, at least one."
        )
    }
}
