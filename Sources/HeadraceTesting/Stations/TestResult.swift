// SPDX-License-Identifier: Apache-2.0

/// The result of an action that a test has poured with `pour(_:returning:)`.
public struct TestResult<Value: Sendable>: Sendable {
    let get: @Sendable () async throws -> Value

    /// The value of the result.
    ///
    /// It is read when all effects have ended or wait. Advance the clock first if the effects need time.
    ///
    /// - Throws: The errors of `pour(_:returning:)` of a station; `StationError` with the code `noResult` also while the
    ///   effects are waiting.
    public var value: Value {
        get async throws { try await get() }
    }
}

/// A result that a test station awaits.
struct AwaitedTestResult {
    /// The action, as text.
    let action: String

    let get: () throws -> any Sendable

    /// Whether the test has read the result.
    var isAsserted = false
}
