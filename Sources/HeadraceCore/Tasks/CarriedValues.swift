//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Instrumentation
package import Logging
import Synchronization

/// The task-local values of a caller that queues work, for the task that executes the work later.
///
/// It carries the message, principal, and deadline; the logger; the trace; the stage; the task's container, if there is
/// one; and the values that the queue lists. A queue of these needs no task for each element: that is why the values
/// must be known, as Swift has no means to copy all of them.
package struct CarriedValues: Sendable {
    private let surroundings: AmbientMessageContext?

    /// The logger of the caller.
    package let logger: Logger

    private let others: [any CarriedValue]

    private static let registered = Mutex<[CarriedTaskLocal]>([])

    /// Number of task-local variables that modules have registered; so that most programs take no lock.
    private static let registeredCount = Atomic(0)

    /// Takes the values of the caller, among them those of `listed`.
    package init(carrying listed: [CarriedTaskLocal] = []) {
        surroundings = AmbientMessageContext.current
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

    /// Has all queued work take along `taskLocal`, in all queues; call it once for each.
    package static func register(_ taskLocal: CarriedTaskLocal) {
        registered.withLock { registered in
            registered.append(taskLocal)
            registeredCount.store(registered.count, ordering: .releasing)
        }
    }

    /// Runs `operation` with the values bound.
    ///
    /// - Throws: What `operation` throws.
    package nonisolated(nonsending) func run(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await withLogger(logger) { _ in
            guard let surroundings else { return try await run(binding: 0, operation) }
            try await AmbientMessageContext.binding.binding(surroundings) { try await run(binding: 0, operation) }
        }
    }

    /// Runs `operation` with the other values bound, from the one at `index` on.
    private nonisolated(nonsending) func run(
        binding index: Int,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        if index == others.count { return try await operation() }
        try await others[index].binding { try await run(binding: index + 1, operation) }
    }
}
