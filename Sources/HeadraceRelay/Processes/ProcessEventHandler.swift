// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceResolution

/// Passes the events of one type to the processes of one type, in the unit of work of their delivery.
struct ProcessEventHandler<Process: DurableProcess, Event: DurableDomainEvent>: HandlesDurableDomainEvent, Resolvable {
    private let context: EntityContext

    static var subscriptionName: String { Process.processName }

    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        context = scope.resolve()
    }

    nonisolated(nonsending) func handle(_ event: Event) async throws {
        try await ProcessRunner<Process>.handle(event, in: context)
    }
}
