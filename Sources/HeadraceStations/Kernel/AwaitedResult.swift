// SPDX-License-Identifier: Apache-2.0

/// The result that a caller of `pour(_:returning:)` awaits, on the actor of the station.
final class AwaitedResult<Value> {
    /// The value of the first matching action; `nil` if none was reduced so far.
    private(set) var value: Value?

    let completion: ActionCompletion
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

    /// The value.
    ///
    /// - Throws: The first error of the action's work; `CancellationError` if the work was cancelled; ``StationError`` with
    ///   the code `StationError.Code.noResult` otherwise.
    func get() throws -> Value {
        if let value { return value }
        if let failure = completion.failure { throw failure }
        if completion.scope.isCancelled { throw CancellationError() }
        throw StationError.noResult(of: action, isRunning: !completion.isFinished)
    }
}
