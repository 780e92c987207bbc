// SPDX-License-Identifier: Apache-2.0

/// What a unit of work must know about a type of event.
///
/// Asking the runtime whether a type conforms to a protocol takes longer than handling an event.
final class EventKind: Sendable {
    /// Whether the type is a ``DurableDomainEvent``.
    let isDurable: Bool

    private static let kinds = TypeCache<EventKind>()

    private init(isDurable: Bool) {
        self.isDurable = isDurable
    }

    /// Returns the kind of `event`.
    static func of(_ event: any DomainEvent) -> EventKind {
        kinds.value(of: type(of: event)) { EventKind(isDurable: event is any DurableDomainEvent) }
    }
}
