// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage

/// A message that this relay doesn't know; a relay of another version of the program may know it.
struct UnknownMessage: Error {
    /// The name in ``HeadraceStorage/LeaseRequest/known``.
    let name: String

    let version: Int

    /// The reason, and the fix if no relay knows the message.
    let reason: String
}

extension Relay {
    /// The messages that this relay knows, by subscription.
    ///
    /// A message is unknown if and only if it is not in the result.
    func knownMessages() -> [String: [KnownMessage]] {
        let events = registrar.events
        var known: [String: [KnownMessage]] = [:]
        for subscription in registrar.subscriptionNames {
            known[subscription] = registrar.eventNames(of: subscription).compactMap { name in
                events.versions(of: name).map { KnownMessage(name: name, versions: $0) }
            }
        }
        let scheduledEvents = events.names.compactMap { name in
            events.versions(of: name).map { (ScheduledMessage.Kind.event.key(name), $0) }
        }
        let commands = commands.compactMap { name, route in
            route.versions.map { (ScheduledMessage.Kind.command.key(name), $0) }
        }
        known[ScheduledMessage.subscription] = (scheduledEvents + commands).map(KnownMessage.init)
        for (subscription, repeatable) in repeatable {
            guard let states = repeatable.known else { continue }
            known[subscription, default: []].append(states)
            known[ScheduledMessage.subscription]?.append(states)
        }
        return known
    }
}

extension ScheduledMessage.Kind {
    /// The name of a message of this kind in ``HeadraceStorage/LeaseRequest/known``; a command and an event may share a
    /// name.
    func key(_ name: String) -> String {
        "\(rawValue) \(name)"
    }
}
