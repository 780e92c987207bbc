// SPDX-License-Identifier: Apache-2.0

/// A task-local variable whose value is carried along with queued work to the task that executes the work.
///
/// ```swift
/// enum Tenant {
///     @TaskLocal static var current = "none"
/// }
///
/// let store = Store(pipeline: Pipeline(carrying: Tenant.$current))
/// ```
package struct CarriedTaskLocal: Sendable {
    /// Returns the current value; `nil` if there is nothing to carry.
    let capture: @Sendable () -> (any CarriedValue)?

    /// Carries the value of `taskLocal`.
    package init<Value: Sendable>(_ taskLocal: TaskLocal<Value>) {
        capture = { CarriedBinding(taskLocal: taskLocal, value: taskLocal.get()) }
    }

    private init(capture: @escaping @Sendable () -> (any CarriedValue)?) {
        self.capture = capture
    }

    /// Carries the value of `taskLocal` unless it is `nil`.
    package static func ifPresent<Value: Sendable>(_ taskLocal: TaskLocal<Value?>) -> CarriedTaskLocal {
        CarriedTaskLocal(capture: {
            taskLocal.get().map { CarriedBinding(taskLocal: taskLocal, value: $0) }
        })
    }
}

/// A value of a task-local variable that can be bound again.
protocol CarriedValue: Sendable {
    /// Binds the value while `operation` runs.
    nonisolated(nonsending) func binding(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws
}

/// A task-local variable and a value of it.
struct CarriedBinding<Value: Sendable>: CarriedValue {
    let taskLocal: TaskLocal<Value>
    let value: Value

    nonisolated(nonsending) func binding(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await taskLocal.binding(value, operation)
    }
}
