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

/// The kind of an error, stable enough to branch on.
///
/// Each error of Headrace has codes of its own: `error.code == .versionConflict` compiles for a `StoreError` only.
/// Later releases may add codes.
public struct ErrorCode<Owner>: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code: one of a few, fit for a metric label.
    public let description: String

    /// Creates the code that is named like the property that returns it.
    package init(_ name: String = #function) {
        description = name
    }
}

/// An error for a message that was refused before its handler ran.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct MessageError: CodedError {
    /// The reason for the refusal, stable enough to branch on.
    public typealias Code = ErrorCode<MessageError>

    /// The reason for the refusal.
    public let code: Code

    /// A description of the error and its fix, in one sentence each.
    public let message: String

    static func deadlineExceeded(_ context: MessageContext, by duration: Duration) -> MessageError {
        MessageError(
            code: .deadlineExceeded,
            message: """
                The deadline of '\(context.typeName)' passed \(duration) before the message could be handled, so it \
                wasn't handled. To fix, allow more time, or send fewer messages at once.
                """
        )
    }
}

extension ErrorCode<MessageError> {
    /// The deadline of the message has passed.
    public static var deadlineExceeded: Self { Self() }

    /// A middleware has refused the message.
    public static var refused: Self { Self() }
}

/// An error that states whether a retry may succeed.
///
/// ```swift
/// extension ServiceUnavailable: RetryableError {
///     var isRetryable: Bool { true }
/// }
/// ```
///
/// Return true only if the failed operation has left no effects that a retry would repeat.
public protocol RetryableError: Error {
    /// Whether a retry may succeed.
    var isRetryable: Bool { get }

    /// Whether another writer caused the error and nothing was stored, so that a retry at once may succeed; `false` by default.
    ///
    /// ``isRetryable`` must be `true`, too.
    var isConflict: Bool { get }

    /// The instant before which a retry will fail; `nil`, the default, if unknown.
    var earliestRetry: ContinuousClock.Instant? { get }
}

extension RetryableError {
    /// No conflict.
    public var isConflict: Bool { false }

    /// Unknown.
    public var earliestRetry: ContinuousClock.Instant? { nil }
}

extension MessageOutcome {
    /// Name of the outcome, suitable as a metric label.
    ///
    /// - `success`;
    /// - `cancelled` for a `CancellationError`;
    /// - ``CodedError/codeName`` for an error with a code;
    /// - the name of the error's type, with its module, for all other errors.
    public var code: String {
        switch self {
        case .success: "success"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as any CodedError): error.codeName
        case .failure(let error): String(naming: Swift.type(of: error))
        }
    }
}

extension String {
    /// Creates the name of `type`, with its module and without the addresses that Swift prints for private and local
    /// types.
    ///
    /// Such addresses differ from run to run.
    package init(naming type: Any.Type) {
        self = String(reflecting: type).withoutTypeAddresses
    }

    /// The text without the addresses of private contexts: `Module.(unknown context at $7f9a1c).Name`.
    package var withoutTypeAddresses: String {
        guard utf8.contains(UInt8(ascii: "$")) else { return self }
        return replacing(/\(unknown context at [^)]*\)\.?/, with: "")
    }
}
