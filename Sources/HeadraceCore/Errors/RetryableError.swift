// SPDX-License-Identifier: Apache-2.0

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
