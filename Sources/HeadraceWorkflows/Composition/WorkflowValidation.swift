// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceRelay
public import HeadraceResolution
public import HeadraceStorage

/// The workflows of a domain, for the validation of the graph.
package struct WorkflowDeclaration: RegistrationNote {
    let workflows: [any DurableWorkflow.Type]

    /// Creates a note.
    package init(workflows: [any DurableWorkflow.Type]) {
        self.workflows = workflows
    }

    /// Returns the mistakes in the declarations of the workflows.
    package static func problems(in notes: [WorkflowDeclaration]) -> [CompositionProblem] {
        var byName: [String: any DurableWorkflow.Type] = [:]
        var problems: [CompositionProblem] = []
        for workflow in notes.flatMap(\.workflows) {
            guard let other = byName.updateValue(workflow, forKey: workflow.workflowName) else { continue }
            let message =
                other == workflow
                ? "The workflow '\(String(naming: workflow))' is declared twice. To fix, remove one from 'workflows: […]'."
                : RepeatableSubscription.mistake(other, workflow, workflow.workflowName)
            problems.append(CompositionProblem(.invalidWorkflow, path: [workflow], message: message))
        }
        for workflow in byName.values.sorted(by: { $0.workflowName < $1.workflowName }) {
            problems += workflow.mistakes.map { CompositionProblem(.invalidWorkflow, path: [workflow], message: $0) }
        }
        return problems
    }
}

extension CompositionProblem.Kind {
    /// The declaration of a workflow is incomplete, or contradicts another declaration.
    public static let invalidWorkflow = CompositionProblem.Kind("invalidWorkflow")
}

extension Container {
    /// Checks the registrations, and then whether the code of the workflows fits the open instances in `store`.
    ///
    /// ```swift
    /// try await container.validate(.strict, replaying: store)
    /// try await relay.run()
    /// ```
    ///
    /// It executes the code of each open instance up to the end of its journal, without effects, twice. Call it before the relay
    /// runs, or in a test with a copy of the store: it reports the instances that this version of the program would block.
    ///
    /// - Parameters:
    ///   - level: How strictly the registrations are checked.
    ///   - store: The store.
    /// - Throws: ``HeadraceResolution/CompositionError``; ``HeadraceWorkflows/WorkflowError`` with the code `blocked`, and a message
    ///   that names up to 20 instances, their steps, and a remedy; ``HeadraceStorage/StoreError``; `CancellationError`.
    public func validate(_ level: ValidationLevel, replaying store: any EntityStore) async throws {
        try validate(level)
        let declared = registrationNotes.compactMap { $0 as? WorkflowDeclaration }.flatMap(\.workflows)
        let byName = Dictionary(declared.map { ($0.workflowName, $0) }) { $1 }
        var problems: [String] = []
        var cursor: PageCursor?
        repeat {
            // Each page has a context of its own, so that the memory doesn't grow with the number of instances.
            let context = EntityContext(reading: store)
            let page = try await context.page(
                StoredWorkflow.self, where: [StoredWorkflow.isOpen], after: cursor, limit: 100)
            for stored in page.entities {
                guard let workflow = byName[stored.workflow] else { continue }
                let records = try await context.journal(of: stored).map(\.record)
                if let problem = try problem(of: workflow, stored, records) {
                    problems.append("'\(stored.id)': \(problem)")
                }
            }
            cursor = page.next
        } while cursor != nil
        if !problems.isEmpty { throw WorkflowError.blocked(problems) }
    }

    private func problem<Workflow: DurableWorkflow>(
        of type: Workflow.Type,
        _ stored: StoredWorkflow,
        _ records: [WorkflowRecord]
    ) throws -> String? {
        do {
            // Code that depends on a random number or the time may differ only the second time.
            for _ in 1...2 {
                let replay = try stored.replay(as: type, records)
                defer { replay.drop() }
                if let mistake = replay.mistake { return mistake }
            }
            return nil
        } catch let error as WorkflowMismatch {
            return error.reason
        } catch is UnknownMessage {
            // Another version of the program knows the input.
            return nil
        }
    }
}
