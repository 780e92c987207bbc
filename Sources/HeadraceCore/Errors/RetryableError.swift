//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error that says whether doing the same again may succeed.
///
/// ```swift
/// extension ServiceUnavailable: RetryableError {
///     var isRetryable: Bool { true }
/// }
/// ```
///
/// Say so only where whatever failed has left nothing behind that a second attempt would repeat.
public protocol RetryableError: Error {
    /// Whether doing the same again may succeed.
    var isRetryable: Bool { get }

    /// Before when it surely fails again, or `nil`, the default, where nobody knows.
    var earliestRetry: ContinuousClock.Instant? { get }
}

extension RetryableError {
    /// Nobody knows.
    public var earliestRetry: ContinuousClock.Instant? { nil }
}
