// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage

/// A subscription whose handlers only change the store, so that the relay repeats them at once after a conflict.
struct RepeatableSubscription: Sendable {
    /// The type that declares the subscription.
    let type: any SendableMetatype.Type

    /// The message that stands for the states that the handlers can read; `nil` if the declaration is invalid.
    let known: KnownMessage?

    /// The names of the events that the type reacts to.
    let eventNames: Set<String>

    /// The mistake of a handler that has the name of a process and handles another event; `nil` if there is none.
    ///
    /// The relay would repeat it, as it repeats a reaction that only changes the store.
    func mistake(named name: String, handled: Set<String>) -> String? {
        guard let event = handled.subtracting(eventNames).min() else { return nil }
        return """
            '\(String(naming: type))' has the processName '\(name)', which is also the subscriptionName of a handler of \
            '\(event)'. To fix, give the handler a unique name.
            """
    }

    /// The mistake of two types with one name.
    static func mistake(_ one: Any.Type, _ other: Any.Type, _ name: String) -> String {
        """
        '\(String(naming: one))' and '\(String(naming: other))' both have the processName '\(name)'. To fix, give each type a \
        unique name.
        """
    }
}

extension Relay {
    /// Number of times that a reaction runs in one attempt if other writers change its process meanwhile.
    static let reactionLimit = 16

    /// Whether the handling of `delivery` has failed because another writer was faster, and can be repeated at once.
    func isRepeatable(_ delivery: Delivery, after result: HandlingResult) -> Bool {
        guard case .failed(let error as StoreError) = result, !Task.isCancelled,
            error.code == .versionConflict || error.code == .alreadyExists
        else { return false }
        if case .scheduled(let message) = delivery.content {
            return message.kind == .command && route(of: message.name)?.isRepeatable == true
        }
        return repeatable[delivery.subscription] != nil
    }
}
