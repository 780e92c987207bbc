// SPDX-License-Identifier: Apache-2.0

/// The result that a caller of `pour(_:returning:)` awaits, on the actor of the station.
package final class AwaitedResult<Value> {
    /// The value of the first matching action; `nil` if none was reduced so far.
    private(set) var value: Value?

    /// The work of the action, which wakes the caller when it has ended or has poured the result.
    package let completion: ActionCompletion

    private let action: Any.Type

    init(of action: Any.Type, _ completion: ActionCompletion) {
        self.action = action
        self.completion = completion
    }

    /// Stores the first value, and resumes the caller.
    func set(_ value: Value) {
        if self.value != nil { return }
        self.value = value
        completion.wake()
    }

    /// Returns the value.
    ///
    /// - Throws: The first error of the action's work; `CancellationError` if the work was cancelled; ``StationError`` with
    ///   the code `StationError.Code.noResult` otherwise.
    package func get() throws -> Value {
        if let value { return value }
        if let failure = completion.failure { throw failure }
        if completion.node.isCancelled { throw CancellationError() }
        throw StationError.noResult(of: action, isRunning: !completion.isFinished)
    }
}
