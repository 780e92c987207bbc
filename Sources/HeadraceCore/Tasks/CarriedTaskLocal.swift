//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A task-local value that queued work takes along to the task that executes it.
///
/// ```swift
/// enum Tenant {
///     @TaskLocal static var current = "none"
/// }
///
/// let store = Store(pipeline: Pipeline(carrying: [CarriedTaskLocal(Tenant.$current)]))
/// ```
public struct CarriedTaskLocal: Sendable {
    /// Returns the value that the caller sees, or `nil` if there is nothing to take along.
    let capture: @Sendable () -> (any CarriedValue)?

    /// Takes along the value of `taskLocal`.
    public init<Value: Sendable>(_ taskLocal: TaskLocal<Value>) {
        capture = { CarriedBinding(taskLocal: taskLocal, value: taskLocal.get()) }
    }

    private init(capture: @escaping @Sendable () -> (any CarriedValue)?) {
        self.capture = capture
    }

    /// Takes along the value of `taskLocal`, and nothing if it is `nil`.
    package static func ifPresent<Value: Sendable>(_ taskLocal: TaskLocal<Value?>) -> CarriedTaskLocal {
        CarriedTaskLocal(capture: {
            taskLocal.get().map { CarriedBinding(taskLocal: taskLocal, value: $0) }
        })
    }
}

/// A task-local value together with the place where it is bound again.
protocol CarriedValue: Sendable {
    /// Binds the value while `operation` runs.
    nonisolated(nonsending) func binding(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws
}

/// The value of one task-local variable.
struct CarriedBinding<Value: Sendable>: CarriedValue {
    let taskLocal: TaskLocal<Value>
    let value: Value

    nonisolated(nonsending) func binding(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await taskLocal.binding(value, operation)
    }
}
