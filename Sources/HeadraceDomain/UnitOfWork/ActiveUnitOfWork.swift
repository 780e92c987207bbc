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

    /// Throws if the task is cancelled, or if a joined unit of work has failed.
    func requireCommit() throws {
        // The error within a cancelled task is a consequence of the cancellation.
        try Task.checkCancellation()
        try requireNoFailure()
    }

    /// Throws if a joined unit of work has failed.
    private func requireNoFailure() throws {
        if let failure = state.current?.failure { throw UnitOfWorkError.rollbackOnly(cause: failure) }
    }
}

/// The events of a unit of work in the order handled, each with its cause; detects endless chains.
///
/// It is a pure value: it decides on the next event, and ``UnitOfWork`` handles it.
struct EventCascade {
    /// Maximum number of events in a chain of cause and effect.
    ///
    /// A domain that needs more has a loop in its handlers.
    static let longestChain = 64

    /// An event that a handler has raised.
    private struct Consequence {
        /// Index of the event whose handlers raised it.
        let cause: Int

        /// Length of its chain, including the event.
        let depth: Int
    }

    private(set) var events: [CollectedEvent]

    /// Number of events that no handler has raised, which come first.
    private let rootCount: Int

    /// The events after the first ``rootCount`` events.
    private var consequences: [Consequence] = []

    private var nextIndex = 0

    init(_ raised: [CollectedEvent]) {
        events = raised
        rootCount = raised.count
    }

    /// Returns the next event to handle, or `nil` if all events were handled.
    mutating func next() throws(UnitOfWorkError) -> (any DomainEvent)? {
        guard nextIndex < events.count else { return nil }
        if depth(of: nextIndex) > Self.longestChain {
            throw .endlessEvents(chain: chain(to: nextIndex))
        }
        nextIndex += 1
        return events[nextIndex - 1].event
    }

    /// Adds the events that the handlers of the last returned event have raised.
    mutating func append(_ raised: [CollectedEvent]) {
        if raised.isEmpty { return }
        let consequence = Consequence(cause: nextIndex - 1, depth: depth(of: nextIndex - 1) + 1)
        events += raised
        consequences += repeatElement(consequence, count: raised.count)
    }

    /// The length of the chain that ends at `index`.
    private func depth(of index: Int) -> Int {
        index < rootCount ? 1 : consequences[index - rootCount].depth
    }

    /// The types of the events in the chain that ends at `index`, in order.
    private func chain(to index: Int) -> [String] {
        var chain: [String] = []
        var current: Int? = index
        while let index = current {
            chain.append(String(naming: type(of: events[index].event)))
            current = index < rootCount ? nil : consequences[index - rootCount].cause
        }
        return chain.reversed()
    }
}
