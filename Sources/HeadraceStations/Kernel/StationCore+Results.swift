// SPDX-License-Identifier: Apache-2.0

extension StationCore {
    /// Pours `action`, and returns the value of the first action of its effects in which `extract` finds a value.
    func pour<Value>(_ action: Action, returning extract: @escaping (Action) -> Value?) async throws -> Value {
        let (result, observer) = begin(action, returning: extract)
        defer { removeReductionObserver(observer) }
        if result.value == nil { await result.completion.waitForEnd() }
        return try result.get()
    }

    /// Pours `action`, and begins to look for its result.
    ///
    /// The station is instrumented until the observer with the returned number is removed.
    func begin<Value>(
        _ action: Action,
        returning extract: @escaping (Action) -> Value?
    ) -> (result: AwaitedResult<Value>, observer: Int) {
        let completion = ActionCompletion(in: runningEffects)
        let result = AwaitedResult<Value>(of: Action.self, completion)
        let observer = addReductionObserver(reduced: { _, action, source, counted in
            if source == .effect, counted === completion, let value = extract(action) { result.set(value) }
        })
        if status.contains(.isBusy) {
            enqueue(action, completion: completion, source: .program)
        } else {
            pouredCompletion = completion
            _ = pourQueued(action)
        }
        return (result, observer)
    }
}
