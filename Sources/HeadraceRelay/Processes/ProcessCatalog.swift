// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage

// The parts of a process that a domain and a relay register.
extension DurableProcess {
    /// The handlers of the events of the process.
    static var eventHandlers: [any (HandlesDomainEvent & Resolvable).Type] {
        reactions.compactMap { reaction in
            if case .event(let handler, _) = reaction.trigger { handler } else { nil }
        }
    }

    /// The mistakes in the declaration.
    static var mistakes: [String] {
        let type = String(naming: Self.self)
        var mistakes: [String] = []
        if !(1...200).contains(processName.utf8.count) || processName.contains("/") {
            mistakes.append(
                """
                '\(type)' has the processName '\(processName)'. To fix, give it a name of 1 to 200 bytes without a slash.
                """
            )
        }
        if decodableVersions == nil {
            mistakes.append(
                """
                The migrations of '\(type)' start from the versions \(processMigrations.map(\.version)) and must lead, version \
                by version, to its version \(processVersion). To fix, order them and fill the gaps.
                """
            )
        }
        if !reactions.contains(where: \.starts) {
            mistakes.append("No event starts '\(type)'. To fix, add '.start(on: …)' to its 'reactions'.")
        }
        for (event, count) in counts(eventHandlers.map { String(naming: event(of: $0)) }) where count > 1 {
            mistakes.append("'\(type)' has \(count) reactions to '\(event)'. To fix, remove all but one.")
        }
        let handled = counts(
            reactions.compactMap { reaction in
                if case .timeout(let timeout) = reaction.trigger { timeout.rawValue } else { nil }
            }
        )
        for (timeout, count) in handled where count > 1 {
            mistakes.append(
                "'\(type)' has \(count) reactions to the time-out '\(timeout)'. To fix, remove all but one.")
        }
        for timeout in Timeout.allCases where handled[timeout.rawValue] == nil {
            mistakes.append(
                """
                '\(type)' has no reaction to the time-out '\(timeout.rawValue)'. To fix, add '.onTimeout(.\(timeout.rawValue))' \
                to its 'reactions'.
                """
            )
        }
        return mistakes
    }

    private static func event<Handler: HandlesDomainEvent>(of handler: Handler.Type) -> Any.Type { Handler.Event.self }

    private static func counts(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Lets `relay` carry out the time-outs, and repeat the reactions after a conflict.
    static func register(in relay: Relay) {
        for mistake in mistakes { relay.note(mistake: mistake) }
        if !relay.store.schema.contains(StoredProcess.entityName) {
            relay.note(
                mistake: """
                    The store was not opened with 'StoredProcess', so it can't keep processes. To fix, add 'StoredProcess.self' \
                    to the 'entities' that the store is created with.
                    """
            )
        }
        relay.add(
            RepeatableSubscription(
                type: self,
                known: decodableVersions.map { KnownMessage(name: ProcessRunner<Self>.stateKey, versions: $0) },
                eventNames: Set(eventHandlers.compactMap { (event(of: $0) as? any DurableDomainEvent.Type)?.eventName })
            ),
            named: processName
        )
        for timeout in Timeout.allCases {
            guard let reaction = ProcessReaction<Self>.find(for: timeout) else { continue }
            let route = CommandRoute(isRepeatable: true) { (message: FireTimeout, context: EntityContext) in
                try await ProcessRunner<Self>.handle(timeout, by: reaction, message, in: context)
            }
            relay.add(route, named: FireTimeout.name(of: processName, timeout.rawValue))
        }
    }
}

extension Relay {
    /// Registers a process: its events with the registrar of the relay, and its time-outs with the relay.
    ///
    /// Call it before the relay runs, and before the first unit of work raises one of the events. `domain(store:…processes:)`
    /// does the same. ``run()`` reports mistakes in the declaration.
    public func register<Process: DurableProcess>(_ process: Process.Type) {
        for handler in process.eventHandlers { registrar.register(any: handler) }
        process.register(in: self)
    }
}

extension DomainEventHandlerRegistrar {
    fileprivate func register(any handler: any (HandlesDomainEvent & Resolvable).Type) {
        func open<Handler: HandlesDomainEvent & Resolvable>(_ handler: Handler.Type) { register(handler) }
        open(handler)
    }
}
