// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Logging
import Synchronization

/// Lets the instances of one workflow go on, whenever a relay delivers the message of their turn.
struct WorkflowRunner<Workflow: DurableWorkflow>: Sendable {
    let scope: any DependencyResolutionScope

    /// The policy of steps that state none.
    let retry: StepRetry

    /// Returns the time, as the relay sees it.
    let wallClock: @Sendable () -> Date

    /// The clock that the relay uses to wait.
    let clock: any TimeSource

    /// The results of closures that weren't stored yet.
    let unstored = UnstoredResults()

    /// Lets one turn at a time change a queue, so that only turns of different processes have conflicts there.
    let queues = KeyedLock<String>()

    /// The route of the messages that let instances go on.
    var route: CommandRoute { CommandRoute(unitsOfWork: handle) }

    /// Goes on with the instance of `message` until it waits or has ended.
    ///
    /// - Throws: ``UnknownMessage`` if another version of the program has stored the input, and this version can't read it; the errors
    ///   of units of work. Then nothing is lost, and the relay tries again.
    nonisolated(nonsending) func handle(_ message: ContinueWorkflow, in units: UnitsOfWork) async throws {
        let turn = WorkflowTurn(runner: self, message: message, units: units)
        defer { turn.drop() }
        try await turn.run()
    }
}

/// The results of closures that ran in this process and weren't stored, because another writer was faster.
///
/// Without them, the closure would run again.
final class UnstoredResults: Sendable {
    /// Number of results that are kept, in case that another process has stored some of them.
    private static let limit = 1_000

    private let results = Mutex<[UUID: Data]>([:])

    subscript(key: UUID) -> Data? {
        get { results.withLock { $0[key] } }
        set {
            results.withLock { results in
                if results.count >= Self.limit { results = [:] }
                results[key] = newValue
            }
        }
    }
}

/// An attempt at a step, as the middleware and the observers of the relay see it.
///
/// Its name is the name of the workflow, a slash, and the name of the step. It has no input, which they could show.
struct StepMessage: NamedMessage {
    /// The identifier of the stored instance.
    let instance: String

    let workflow: String

    /// The number of the step, counting from 1.
    let step: Int

    let name: String

    var messageName: String { "\(workflow)/\(name)" }
}

extension Error {
    /// Whether the error says nothing about a step, so that the relay must repeat the turn.
    var interruptsTurn: Bool {
        if self is WorkflowMismatch || Task.isCancelled { return true }
        guard let error = self as? StoreError else { return false }
        return error.isRetryable || error.isFinal || [.leaseLost, .outcomeUnknown].contains(error.code)
    }
}

extension MiddlewareChain {
    /// Runs `body` as the handler of `message`.
    nonisolated(nonsending) func run<Value>(
        _ message: StepMessage,
        attempt: Int,
        _ body: nonisolated(nonsending) @escaping () async throws -> Value
    ) async throws -> Value {
        if isEmpty { return try await body() }
        let context = MessageContext(kind: .step, type: StepMessage.self, name: message.messageName)
        return try await context.asAttempt(attempt) {
            try await run(message, in: context) { _ in try await body() }
        }
    }
}
