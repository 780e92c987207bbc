// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceStorage

/// An error of an ``EventSourcedEntity`` or of its stream.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct EventSourcingError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<EventSourcingError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The entity.
    public let entity: EntityReference

    /// The number of the event in the stream, counting from 1; `nil` if the error is not about one event.
    public let eventNumber: Int?

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    private init(
        _ code: Code,
        _ message: String,
        entity: EntityReference,
        eventNumber: Int? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.eventNumber = eventNumber
        self.cause = cause
    }
}

extension EventSourcingError {
    static func unreadable(_ number: Int, of entity: EntityReference, cause: any Error) -> EventSourcingError {
        let advice =
            switch (cause as? EventError)?.code {
            case nil: ". To fix, restore the documents of its stream from a backup."
            case .unknownName?: " The type of each stored event must be among the 'appliedEvents' of the entity."
            default: ""
            }
        return EventSourcingError(
            .unreadableEvent,
            "Event \(number) of the \(entity) can't be read: \(cause)\(advice)",
            entity: entity,
            eventNumber: number,
            cause: cause
        )
    }

    /// A new event can't be decoded from its own JSON.
    static func unreadableNew(
        _ type: any DurableDomainEvent.Type,
        _ number: Int,
        of entity: EntityReference,
        cause: any Error
    ) -> EventSourcingError {
        EventSourcingError(
            .unreadableEvent,
            """
            Event \(number) of the \(entity) could not be read again: '\(String(naming: type))' doesn't decode the JSON that it \
            encodes: \(cause). Nothing was stored. To fix, make the type decode each value that can be raised.
            """,
            entity: entity,
            eventNumber: number,
            cause: cause
        )
    }

    static func missing(_ number: Int, of entity: EntityReference) -> EventSourcingError {
        EventSourcingError(
            .missingEvent,
            """
            Event \(number) of the \(entity) is not stored, so its state can't be folded. To fix, restore the documents of its \
            stream from a backup.
            """,
            entity: entity,
            eventNumber: number
        )
    }

    static func mismatch(_ entity: EntityReference, events: Int) -> EventSourcingError {
        EventSourcingError(
            .stateMismatch,
            """
            The state of the \(entity) is not the result of its events, of which \(events) are new. Nothing was stored. To fix, \
            change its state only in its 'appliedEvents', which must depend on nothing but the encoded members of the entity and \
            of the event; and after a roll-back, find or make the entity again.
            """,
            entity: entity
        )
    }

    /// An event was raised by the method of a base class, which doesn't apply it.
    static func notApplied(_ type: any DomainEvent.Type, _ entity: EntityReference) -> EventSourcingError {
        EventSourcingError(
            .stateMismatch,
            """
            The \(entity) has raised '\(String(naming: type))' without applying it, because a base class of the entity conforms \
            to 'HasDomainEvents'. Nothing was stored. To fix, call 'raiseEvent' in a method of the entity itself, or remove the \
            conformance from the base class.
            """,
            entity: entity
        )
    }
}

extension ErrorCode<EventSourcingError> {
    /// An event of the stream can't be read: its name or version is unknown, or its JSON can't be decoded.
    ///
    /// A commit throws it for a new event that doesn't decode the JSON that it encodes.
    /// The ``HeadraceDomain/EventSourcingError/cause`` says which.
    public static var unreadableEvent: Self { Self() }

    /// The stream lacks an event.
    public static var missingEvent: Self { Self() }

    /// The state of an entity is not the result of its events.
    public static var stateMismatch: Self { Self() }
}
