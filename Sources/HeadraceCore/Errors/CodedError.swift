// SPDX-License-Identifier: Apache-2.0

/// An error with a code that programs branch on, and a message for people.
///
/// All errors of Headrace conform. Metrics and logs show ``codeName`` instead of the type of the error. Conform your
/// own errors if their type alone isn't specific enough:
///
/// ```swift
/// struct PaymentRefused: CodedError {
///     enum Code { case expired, limitExceeded }
///
///     let code: Code
///     let message: String
/// }
/// ```
///
/// An error with only one code can use `String` as the type of its code.
public protocol CodedError: Error, CustomStringConvertible {
    /// A type with few values, without associated values such as identifiers, amounts, or texts of users.
    associatedtype Code: Hashable, Sendable

    /// The reason for the error, stable enough to branch on.
    var code: Code { get }

    /// A description of the error, then its fix.
    var message: String { get }
}

extension CodedError {
    /// Name of ``code``, suitable as a metric label.
    public var codeName: String { "\(code)" }

    /// The ``message``.
    public var description: String { message }
}
