// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
package import HeadraceDomain
package import HeadraceRelay
package import HeadraceResolution
import HeadraceStorage
import Logging

// The parts of a workflow that a domain and a relay register.
extension DurableWorkflow {
    /// The handlers of the events that the workflow receives.
    package static var eventHandlers: [any (HandlesDomainEvent & Resolvable).Type] { receives.map(\.handler) }

    /// The mistakes in the declaration.
    package static var mistakes: [String] {
        let type = String(naming: Self.self)
        var mistakes: [String] = []
        if !(1...200).contains(workflowName.utf8.count) || workflowName.contains("/") {
            mistakes.append(
                """
                '\(type)' has the workflowName '\(workflowName)'. To fix, give it a name of 1 to 200 bytes without a slash.
                """
            )
        }
        if decodableVersions == nil {
            mistakes.append(
                """
                The migrations of '\(type)' start from the versions \(workflowMigrations.map(\.version)) and must lead, version \
                by version, to its version \(workflowVersion). To fix, order them and fill the gaps.
                """
            )
        }
        if OutcomeCoding(Output.self) == nil {
            mistakes.append(
                "'\(type)' returns '\(String(naming: Output.self))', which is not 'Codable'. To fix, conform it to 'Codable'."
            )
        }
        let events = Dictionary(grouping: receives) { String(naming: $0.type) }.filter { $0.value.count > 1 }
        for event in events.keys.sorted() {
            mistakes.append("'\(type)' receives '\(event)' more than once. To fix, remove all but one from 'receives'.")
        }
        return mistakes
    }

    /// Lets `relay` run the instances.
    ///
    /// - Parameters:
    ///   - relay: The relay.
    ///   - scope: The scope from which steps take their dispatcher and other objects.
    package static func register(in relay: Relay, _ scope: any DependencyResolutionScope) {
        for mistake in mistakes { relay.note(mistake: mistake) }
        if !relay.store.schema.contains(StoredWorkflow.entityName) {
            relay.note(
                mistake: """
                    The store was not opened with 'StoredWorkflow', so it can't keep workflows. To fix, add \
                    'StoredWorkflow.self' to the 'entities' that the store is created with.
                    """
            )
        }
        relay.add(
            RepeatableSubscription(
                type: self,
                known: decodableVersions.map { KnownMessage(name: stateKey, versions: $0) },
                eventNames: Set(receives.map { $0.type.eventName })
            ),
            named: workflowName
        )
        let configuration = relay.configuration
        let runner = WorkflowRunner<Self>(
            scope: scope,
            retry: StepRetry(maximumAttempts: max(1, configuration.maximumAttempts), backoff: configuration.backoff),
            wallClock: relay.wallClock,
            clock: relay.clock
        )
        relay.add(runner.route, named: ContinueWorkflow.name(of: workflowName))
    }
}
