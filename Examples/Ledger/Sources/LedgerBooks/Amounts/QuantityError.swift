// SPDX-License-Identifier: Apache-2.0

/// An error of exact arithmetic.
///
/// The result can't be represented without rounding.
///
/// Branch on ``code``, log ``message``. New codes may appear in minor releases.
public struct QuantityError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case overflow }
        private let kind: Kind

        /// The exact result has too many digits for a quantity.
        public static let overflow = Code(kind: .overflow)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The kind of error.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    /// The code and the message, for logs.
    public var description: String { message }

    static func overflow(_ operation: String) -> Self {
        Self(
            code: .overflow,
            message: "The exact value of \(operation) needs more than \(Quantity.maximumDigits) digits. "
                + "To fix, use smaller numbers or fewer digits after the point."
        )
    }
}
