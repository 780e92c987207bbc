//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The units of work that are running in a task, one within the other, so that one within them can join.
///
/// Why `@unchecked Sendable` is right here, though a context is not `Sendable`: task-local values are
/// seen by child tasks, but ``joinable(by:)`` gives the context to the very task that runs the unit of
/// work, or to the child that stands in for it while it waits, and only while it runs. What one task does
/// it does one after the other, on whatever actor, so nothing reaches the context at the same moment as
/// something else. Nor can it be kept: it is handed on as a parameter of a `nonisolated(nonsending)` body,
/// which the compiler lets neither store it in an actor nor send it to another task.
final class ActiveUnitOfWork: @unchecked Sendable {
    @TaskLocal private static var current: ActiveUnitOfWork?

    private let context: any DomainContext
    private let task: TaskIdentity

    /// The unit of work within which this one runs, on another store or in another task.
    private let outer: ActiveUnitOfWork?

    private init(context: any DomainContext) {
        self.context = context
        outer = Self.current
        task = .current
    }

    /// The context of the running unit of work that is of the same task and the same store as `context`.
    static func joinable<Context: DomainContext>(by context: Context) -> Context? {
        let task = TaskIdentity.current
        var next = current
        while let active = next {
            if active.task == task, active.context.joinIdentity == context.joinIdentity {
                return active.context as? Context
            }
            next = active.outer
        }
        return nil
    }

    /// Runs `operation` as the unit of work on `context`.
    static nonisolated(nonsending) func running<Result>(
        on context: some DomainContext,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $current.binding(ActiveUnitOfWork(context: context)) {
            try await UndividedWork.run(operation)
        }
    }
}
