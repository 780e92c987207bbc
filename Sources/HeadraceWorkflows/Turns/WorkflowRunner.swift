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

    /// Creates the code of `stored`, up to the end of its journal.
    ///
    /// - Throws: ``WorkflowMismatch``; ``UnknownMessage``.
    func replay(_ stored: StoredWorkflow, _ records: [WorkflowRecord]) throws -> WorkflowReplay {
        let workflow = try input(of: stored)
        guard OutcomeCoding(Workflow.Output.self) != nil else {
            throw WorkflowMismatch(
                reason:
                    "The result '\(String(naming: Workflow.Output.self))' is not 'Codable'. To fix, conform it to 'Codable'."
            )
        }
        let replay = WorkflowReplay(startedAt: stored.begunAt, seed: stored.seedOfRound, changes: stored.changes)
        let flow = WorkflowContext(id: stored.key, replay: replay)
        replay.start {
            let output = try await workflow.run(flow)
            return try OutcomeCoding(Workflow.Output.self)?.encode(output) ?? Data()
        }
        replay.replay(records, waits: stored.waits)
        return replay
    }

    private func input(of stored: StoredWorkflow) throws -> Workflow {
        if Workflow.decodableVersions?.contains(stored.version) != true {
            let isNewer = stored.version > Workflow.workflowVersion
            throw UnknownMessage(
                name: Workflow.stateKey,
                version: stored.version,
                reason: """
                    The workflow '\(stored.id)' was stored with version \(stored.version); '\(String(naming: Workflow.self))' \
                    knows \(Workflow.workflowVersion). To fix, \
                    \(isNewer
                        ? "run the version of the program that wrote it, or a later one"
                        : "add 'JSONMigration(from: \(stored.version))' to its 'workflowMigrations'"), and replay the dead letter.
                    """
            )
        }
        do {
            let isOld = stored.version < Workflow.workflowVersion
            let json = Data(stored.input.utf8)
            let current = isOld ? try Workflow.workflowMigrations.migrate(json, from: stored.version) : json
            return try DocumentCoding.decode(Workflow.self, from: current)
        } catch {
            throw WorkflowMismatch(
                reason:
                    "The input, stored with version \(stored.version), does not decode as '\(String(naming: Workflow.self))': \(error)"
            )
        }
    }
}

/// The code of an instance doesn't fit what is stored.
struct WorkflowMismatch: Error {
    let reason: String
}

extension StoredWorkflow {
    /// The seed of the random numbers of the current round.
    var seedOfRound: UInt64 { seed ^ UInt64(round) << 48 }

    /// The seed of the idempotency keys of the current round.
    var keySeedOfRound: UInt64 { keySeed ^ UInt64(round) << 48 }
}

/// The results of closures that ran in this process and weren't stored, because another writer was faster.
///
/// Without them, the closure would run again.
final class UnstoredResults: Sendable {
    private let results = Mutex<[UUID: Data]>([:])

    subscript(key: UUID) -> Data? {
        get { results.withLock { $0[key] } }
        set { results.withLock { $0[key] = newValue } }
    }
}
