// SPDX-License-Identifier: Apache-2.0

package import HeadraceCore

/// The units of work that are running in a task, nested within each other, so that an inner unit of work can join.
///
/// `@unchecked Sendable` is safe, although a context is not `Sendable`. Child tasks see task-local values, but
/// ``joinable(as:by:)`` returns the unit of work only to the task that runs it, or to the child task that acts for that
/// task while it waits, and only while the unit of work runs. One task does one thing after the other, on any actor,
/// so there is no concurrent access to the context. The context can't escape either: it is passed as a parameter of a
/// `nonisolated(nonsending)` body, and the compiler doesn't let the body store it in an actor or send it to another
/// task. A handler that resolves the context holds it for one message and isn't `Sendable`, so the compiler doesn't let
/// the handler send it either. The same holds for ``failure`` and ``events``: only the task that runs the unit of work
/// reads and sets them.
package final class ActiveUnitOfWork: AtomicWork, @unchecked Sendable {
    let context: any DomainContext

    /// The events of the unit of work with their subscriptions, once they are committed.
    var events: [CollectedEvent] = []

    /// The error of the first joined unit of work that has failed, if there is one.
    ///
    /// Then this unit of work can only roll back.
    private var failure: (any Error)?

    package let task = TaskIdentity.current

    /// The enclosing unit of work, on another store or in another task.
    private let outer: ActiveUnitOfWork?

    /// Creates a unit of work on `context` within `outer`, for the current task.
    init(context: any DomainContext, outer: ActiveUnitOfWork?) {
        self.context = context
        self.outer = outer
    }

    /// The innermost unit of work of the current task or of one of its parents.
    static var current: ActiveUnitOfWork? {
        CurrentUnitOfWork.current as? ActiveUnitOfWork
    }

    /// The identities of the contexts of the units of work that enclose the current code, also in parents of the current task.
    static var enclosing: [ObjectIdentifier] {
        var identities: [ObjectIdentifier] = []
        var next = current
        while let active = next {
            identities.append(ObjectIdentifier(active.context))
            next = active.outer
        }
        return identities
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
        let task = TaskIdentity.current
        var next: ActiveUnitOfWork? = self
        while let active = next {
            if active.task == task, active.context.joinIdentity == identity {
                return (active.context as? Context).map { (active, $0) }
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
            failure = failure ?? error
            throw error
        }
    }

    /// Throws if a joined unit of work has failed.
    func requireNoFailure() throws {
        if let failure { throw UnitOfWorkError.rollbackOnly(cause: failure) }
    }
}
