// SPDX-License-Identifier: Apache-2.0

/// Whether `event` was raised as an `Event`.
func isExactly<Event: DomainEvent>(_ event: any DomainEvent, _ type: Event.Type) -> Bool {
    func isExactly<Source: DomainEvent>(_ event: Source) -> Bool { Source.self == Event.self }
    return isExactly(event)
}

/// Returns `event` as an `Event`, as which it must have been raised.
///
/// A dynamic cast takes as long as an asynchronous call. Why the unsafe code is right: the function compares the types
/// first, and a value of a type can be read as that type.
func exactly<Event: DomainEvent>(_ event: any DomainEvent, as type: Event.Type) -> Event {
    func exactly<Source: DomainEvent>(_ event: Source) -> Event {
        precondition(Source.self == Event.self)
        return unsafe unsafeBitCast(event, to: Event.self)
    }
    return exactly(event)
}
