// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage
import Synchronization

/// A store that raises events in transactions of the program.
package protocol TransactionalEventStore: AnyObject {
    /// Delivers the events that are raised from now on also to the handlers of `registrar`, as long as it exists.
    ///
    /// A relay calls it when it is created.
    func deliverRaisedEvents(by registrar: DomainEventHandlerRegistrar)
}

/// The registrars of the relays of one store, which know the handlers of events that are raised in transactions of the program.
package final class TransactionDelegators: Sendable {
    /// The handlers may have the store as a dependency, so the store doesn't keep them alive.
    private struct Reference: Sendable {
        weak let registrar: DomainEventHandlerRegistrar?
    }

    private let references = Mutex<[Reference]>([])

    package init() {}

    /// Adds `registrar`, and forgets those that no longer exist.
    package func add(_ registrar: DomainEventHandlerRegistrar) {
        references.withLock { references in
            references.removeAll { $0.registrar == nil || $0.registrar === registrar }
            references.append(Reference(registrar: registrar))
        }
    }

    /// Returns `events` with the subscriptions of all registrars.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unsupportedWork` if there is no registrar, or if an event has a
    ///   handler that isn't durable.
    package func address(_ events: [CollectedEvent]) throws -> [CollectedEvent] {
        if events.isEmpty { return [] }
        let registrars = references.withLock { $0.compactMap(\.registrar) }
        return try events.map { collected in
            // Only an error needs it.
            var name: String { String(naming: type(of: collected.event)) }
            if registrars.isEmpty {
                throw unsupported(
                    "'\(name)' was raised in a transaction of the program, and no relay of this process knows its handlers",
                    remedy: "create the 'Relay' of the store before, also in a process that doesn't run it"
                )
            }
            var addressed = collected
            for registrar in registrars {
                if let handler = registrar.transientHandlers(of: collected.event).first {
                    throw unsupported(
                        """
                        '\(name)' was raised in a transaction of the program, in which its handler \
                        '\(String(naming: handler))' can't run
                        """,
                        remedy: "make the handler durable, or raise the event in a 'UnitOfWork'"
                    )
                }
                let known = Set(addressed.subscriptions)
                addressed.subscriptions += registrar.subscriptions(to: collected.event).filter { !known.contains($0) }
            }
            return addressed
        }
    }

    private func unsupported(_ what: String, remedy: String) -> StoreError {
        StoreError(code: .unsupportedWork, message: "\(what). Nothing of the event was stored. To fix, \(remedy).")
    }
}
