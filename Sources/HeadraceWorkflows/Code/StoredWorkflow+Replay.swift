// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceRelay
import HeadraceStorage

extension StoredWorkflow {
    /// Executes the code of the instance up to the end of its journal.
    ///
    /// - Throws: ``WorkflowMismatch``; ``UnknownMessage``.
    func replay<Workflow: DurableWorkflow>(
        as type: Workflow.Type,
        _ records: [WorkflowRecord]
    ) throws -> WorkflowReplay {
        let workflow = try input(as: type)
        guard OutcomeCoding(Workflow.Output.self) != nil else {
            throw WorkflowMismatch(
                reason:
                    "The result '\(String(naming: Workflow.Output.self))' is not 'Codable'. To fix, conform it to 'Codable'."
            )
        }
        let replay = WorkflowReplay(
            startedAt: begunAt, seed: seedOfRound, changes: changes, isNew: records.isEmpty && waits.isEmpty)
        let flow = WorkflowContext(id: key, instance: id, replay: replay)
        replay.start {
            let output = try await workflow.run(flow)
            return try OutcomeCoding(Workflow.Output.self)?.encode(output) ?? Data()
        }
        replay.replay(records, waits: waits)
        return replay
    }

    private func input<Workflow: DurableWorkflow>(as type: Workflow.Type) throws -> Workflow {
        if Workflow.decodableVersions?.contains(version) != true {
            let isNewer = version > Workflow.workflowVersion
            throw UnknownMessage(
                name: Workflow.stateKey,
                version: version,
                reason: """
                    The workflow '\(id)' was stored with version \(version); '\(String(naming: Workflow.self))' \
                    knows \(Workflow.workflowVersion). To fix, \
                    \(isNewer
                        ? "run the version of the program that wrote it, or a later one"
                        : "add 'JSONMigration(from: \(version))' to its 'workflowMigrations'"), and replay the dead letter.
                    """
            )
        }
        do {
            let isOld = version < Workflow.workflowVersion
            let json = Data(input.utf8)
            let current = isOld ? try Workflow.workflowMigrations.migrate(json, from: version) : json
            return try DocumentCoding.decode(Workflow.self, from: current)
        } catch {
            throw WorkflowMismatch(
                reason:
                    "The input, stored with version \(version), does not decode as '\(String(naming: Workflow.self))': \(error)"
            )
        }
    }

    /// The seed of the random numbers of the current round.
    var seedOfRound: UInt64 { seed ^ UInt64(round) << 48 }

    /// The seed of the idempotency keys of the current round.
    var keySeedOfRound: UInt64 { keySeed ^ UInt64(round) << 48 }
}

/// The code of an instance doesn't fit what is stored.
struct WorkflowMismatch: Error {
    let reason: String
}
