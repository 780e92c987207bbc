//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The units of work that are running in a task, nested within each other, so that an inner unit of work can join.
///
/// `@unchecked Sendable` is safe, although a context is not `Sendable`. Child tasks see task-local values, but
/// ``joinable(by:)`` returns the context only to the task that runs the unit of work, or to the child task that acts
/// for it while it waits, and only while the unit of work runs. One task does one thing after the other, on any actor,
/// so there is no concurrent access to the context. The context can't escape either: it is passed as a parameter of a
/// `nonisolated(nonsending)` body, and the compiler doesn't let the body store it in an actor or send it to another
/// task. The same holds for ``failure``: only the task that runs the unit of work reads and sets it.
package final class ActiveUnitOfWork: @unchecked Sendable {
    @TaskLocal private static var current: ActiveUnitOfWork?

    private let context: any DomainContext

    /// The error of the first joined unit of work that has failed, if there is one.
    ///
    /// Then this unit of work can only roll back.
    private var failure: (any Error)?

    private let task: TaskIdentity

    /// The enclosing unit of work, on another store or in another task.
    private let outer: ActiveUnitOfWork?

    private init(context: any DomainContext) {
        self.context = context
        outer = Self.current
        task = .current
    }

    /// Runs `body` as part of the running unit of work of the same task on the same store as `context`.
    ///
    /// - Returns: The result of `body`; `nil` if no such unit of work is running.
    /// - Throws: The error of `body`, after which the running unit of work can only roll back; ``UnitOfWorkError`` with
    ///   the code `rollbackOnly` if it could only roll back before.
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

    /// Whether a unit of work on `context` would join a running unit of work.
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

    /// Throws if a joined unit of work has failed.
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
