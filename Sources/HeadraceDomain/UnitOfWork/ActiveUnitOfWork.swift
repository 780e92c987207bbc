// SPDX-License-Identifier: Apache-2.0

package import HeadraceCore

/// The units of work that are running in a task, nested within each other, so that an inner unit of work can join.
///
/// Child tasks see task-local values, but only the task that runs a unit of work can read its context.
package final class ActiveUnitOfWork: AtomicWork {
    /// The part that only the task of the unit of work can read.
    private final class State {
        let context: any DomainContext

        /// The error of the first joined unit of work that has failed, if there is one.
        ///
        /// Then this unit of work can only roll back.
        var failure: (any Error)?

        init(context: any DomainContext) {
            self.context = context
        }
    }

    private let state: TaskBound<State>

    /// The identity of the context.
    private let contextID: ObjectIdentifier

    private let joinIdentity: ObjectIdentifier

    /// The enclosing unit of work, on another store or in another task.
    private let outer: ActiveUnitOfWork?

    package var task: TaskIdentity { state.task }

    /// Creates a unit of work on `context` within `outer`, for the current task.
    init(context: some DomainContext, outer: ActiveUnitOfWork?) {
        state = TaskBound(State(context: context))
        contextID = ObjectIdentifier(context)
        joinIdentity = context.joinIdentity
        self.outer = outer
    }

    /// The innermost unit of work of the current task or of one of its parents.
    static var current: ActiveUnitOfWork? {
        CurrentUnitOfWork.current as? ActiveUnitOfWork
    }

    /// The identities of the contexts of the units of work that enclose the current code, also in parents of the current task.
    static var enclosing: [ObjectIdentifier] {
        sequence(first: current) { $0?.outer }.compactMap { $0?.contextID }
    }

    /// Whether a unit of work on `context` would join a running unit of work.
    package static func isJoinable<Context: DomainContext>(by context: Context) -> Bool {
        current?.joinable(as: Context.self, by: context.joinIdentity) != nil
    }

    /// Searches this unit of work and those around it for the one that a unit of work of the current task joins.
    ///
    /// - Parameters:
    ///   - type: The type of the context of the unit of work that joins.
    ///   - identity: The ``DomainContext/joinIdentity`` of that context.
    /// - Returns: The innermost such unit of work, with its context; `nil` if there is none.
    func joinable<Context: DomainContext>(
        as type: Context.Type,
        by identity: ObjectIdentifier
    ) -> (unitOfWork: ActiveUnitOfWork, context: Context)? {
        var next: ActiveUnitOfWork? = self
        while let active = next {
            if active.joinIdentity == identity, let state = active.state.current {
                return (state.context as? Context).map { (active, $0) }
            }
            next = active.outer
        }
        return nil
    }

    /// Runs `body` on `context`, the context of this unit of work.
    ///
    /// - Throws: The error of `body`, after which this unit of work can only roll back; ``UnitOfWorkError`` with the
    ///   code `rollbackOnly` if it could only roll back before.
    nonisolated(nonsending) func join<Context: DomainContext, Result>(
        on context: Context,
        _ body: nonisolated(nonsending) (Context) async throws -> Result
    ) async throws -> Result {
        try requireNoFailure()
        do {
            return try await body(context)
        } catch {
            if let state = state.current { state.failure = state.failure ?? error }
            throw error
        }
    }

    /// Throws if a joined unit of work has failed.
    func requireNoFailure() throws {
        if let failure = state.current?.failure { throw UnitOfWorkError.rollbackOnly(cause: failure) }
    }
}
