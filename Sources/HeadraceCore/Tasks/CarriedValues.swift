// SPDX-License-Identifier: Apache-2.0

import Instrumentation
package import Logging
import Synchronization

/// The task-local values of a caller that queues work, for the task that executes the work later.
///
/// The values are the message, principal, and deadline; the logger; the trace; the stage; the container of the task,
/// if it has one; and the values that the queue lists. Swift can't copy all task-local values of a task, so each
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
