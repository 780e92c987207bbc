// SPDX-License-Identifier: Apache-2.0

import Instrumentation
package import Logging
import Synchronization

/// The task-local values of a caller that queues work, for the task that executes the work later.
///
/// The values are the message, principal, and deadline; the logger; the trace; the stage; the ``SystemValues``; the container of the
/// task, if it has one; and the values that the queue lists. Swift can't copy all task-local values of a task, so each
/// variable must be registered or listed. In return, a queue needs no task for each element.
package struct CarriedValues: Sendable {
    private let ambient: AmbientMessageContext?

    /// Logger of the caller.
    package let logger: Logger

    private let others: [any CarriedValue]

    private static let registered = Mutex<[CarriedTaskLocal]>([])

    /// Number of registered task-local variables.
    ///
    /// Without any, no lock is taken.
    private static let registeredCount = Atomic(0)

    /// Captures the values of the caller, including the variables in `listed`.
    package init(carrying listed: [CarriedTaskLocal] = []) {
        ambient = AmbientMessageContext.current
        logger = Logger.current
        var others: [any CarriedValue] = []
        if let trace = InstrumentationContext.current {
            others.append(CarriedBinding(taskLocal: InstrumentationContext.$current, value: trace))
        }
        if let stage = MessageStage.current {
            others.append(CarriedBinding(taskLocal: MessageStage.$current, value: stage))
        }
        if let values = SystemValues.bound {
            others.append(CarriedBinding(taskLocal: SystemValues.$ofTask, value: values))
        }
        if Self.registeredCount.load(ordering: .acquiring) > 0 {
            others += Self.registered.withLock(\.self).compactMap { $0.capture() }
        }
        if !listed.isEmpty { others += listed.compactMap { $0.capture() } }
        self.others = others
    }

    /// Registers `taskLocal` for all queues.
    ///
    /// Call it once for each variable.
    package static func register(_ taskLocal: CarriedTaskLocal) {
        registered.withLock { registered in
            registered.append(taskLocal)
            registeredCount.store(registered.count, ordering: .releasing)
        }
    }

    /// Runs `operation` with the values bound.
    ///
    /// - Throws: The errors of `operation`.
    package nonisolated(nonsending) func run(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await withLogger(logger) { _ in
            guard let ambient else { return try await run(binding: 0, operation) }
            try await AmbientMessageContext.binding.binding(ambient) { try await run(binding: 0, operation) }
        }
    }

    /// Runs `operation` with the values of `others` bound, starting at `index`.
    private nonisolated(nonsending) func run(
        binding index: Int,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        if index == others.count { return try await operation() }
        try await others[index].binding { try await run(binding: index + 1, operation) }
    }
}

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

extension TaskLocal {
    /// Binds the task-local variable to `value` while `operation` runs on the actor of the caller.
    ///
    /// `withValue` alone leaves the caller's actor. Only a closure that captures an isolated parameter stays there.
    @inlinable @inline(__always)
    package nonisolated(nonsending) func binding<Result>(
        _ value: Value,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await bind(value, isolation: #isolation, operation)
    }

    @inlinable @inline(__always)
    package func bind<Result>(
        _ value: Value,
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await withValue(value) {
            _ = isolation
            return try await operation()
        }
    }
}

/// Work that succeeds or fails as a whole, such as a unit of work.
package protocol AtomicWork: AnyObject, Sendable {
    /// The task that runs the work.
    var task: TaskIdentity { get }
}

/// The innermost ``AtomicWork`` around the current code.
///
/// No part of it can be retried alone, because a failed part may have left changes that only a rollback of the whole
/// work reverts.
package enum CurrentUnitOfWork {
    /// The work, which may belong to a parent of the current task.
    @TaskLocal package static var current: (any AtomicWork)?

    /// Whether the current task runs such work.
    ///
    /// A child task doesn't run the work of its parent, unless it represents the parent (``TaskIdentity``).
    package static var isCurrent: Bool {
        guard let current else { return false }
        return current.task == .current
    }
}
