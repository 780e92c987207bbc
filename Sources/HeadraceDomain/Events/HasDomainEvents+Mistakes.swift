// SPDX-License-Identifier: Apache-2.0

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension HasDomainEvents {
    /// Explains how an entity gets the property.
    @available(
        *, unavailable,
        message: """
            An entity keeps the events that it raises. To fix, write '@DomainEntity' before the class, or declare \
            'var raisedEvents = RaisedEvents()'.
            """
    )
    @_documentation(visibility: internal)
    public var raisedEvents: RaisedEvents {
        get { RaisedEvents() }
        set {}
    }
}

/// Explains why a type can't raise events.
@available(*, unavailable, message: "Only entities raise events. To fix, write '@DomainEntity' before the class.")
@_documentation(visibility: internal)
public func raiseEvent(_ event: some DomainEvent) {}
