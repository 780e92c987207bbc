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
/// which the compiler lets neither store it in an actor nor send it to another task. The same holds for ``failure``: only
/// the task that runs the unit of work reads and sets it.
package final class ActiveUnitOfWork: @unchecked Sendable {
    @TaskLocal private static var current: ActiveUnitOfWork?

    private let context: any DomainContext

    /// The error of the first unit of work that has joined this one and failed, if there is one.
    ///
    /// This unit of work can only roll back then.
    private var failure: (any Error)?

    private let task: TaskIdentity

    /// The unit of work within which this one runs, on another store or in another task.
    private let outer: ActiveUnitOfWork?

    private init(context: any DomainContext) {
        self.context = context
        outer = Self.current
        task = .current
    }

    /// Runs `body` as part of the running unit of work of the same task and the same store as `context`.
    ///
    /// - Returns: What `body` returns; `nil` if no such unit of work is running.
    /// - Throws: What `body` throws, and then the running unit of work can only roll back; ``UnitOfWorkError`` with the
    ///   code `rollbackOnly` if it could only roll back before.
    static nonisolated(nonsending) func joined<Context: DomainContext, Result>(
        by context: Context,
        _ body: nonisolated(nonsending) (Context) async throws -> Result
    ) async throws -> Result? {
        guard let active = joinable(by: context), let joined = active.context as? Context else { return nil }
        try active.requireNoFailure()
        do {
            return try await body(joined)
        } catch {
            active.failure = active.failure ?? error
            throw error
        }
    }

    /// Whether a unit of work on `context` would join one that is running.
    package static func isJoinable(by context: some DomainContext) -> Bool {
        joinable(by: context) != nil
    }

    private static func joinable<Context: DomainContext>(by context: Context) -> ActiveUnitOfWork? {
        let task = TaskIdentity.current
        var next = current
        while let active = next {
            if active.task == task, active.context.joinIdentity == context.joinIdentity {
                return active.context is Context ? active : nil
            }
            next = active.outer
        }
        return nil
    }

    /// Throws if a unit of work that has joined this one has failed.
    func requireNoFailure() throws {
        if let failure { throw UnitOfWorkError.rollbackOnly(cause: failure) }
    }

    /// Runs `operation` as the unit of work on `context`.
    static nonisolated(nonsending) func running<Result>(
        on context: some DomainContext,
        _ operation: nonisolated(nonsending) (ActiveUnitOfWork) async throws -> Result
    ) async throws -> Result {
        let active = ActiveUnitOfWork(context: context)
        return try await $current.binding(active) {
            try await AtomicScope.run { try await operation(active) }
        }
    }
}
