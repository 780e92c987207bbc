// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceDomain
import HeadraceStorage

/// A test of an event-sourced entity: given events, when a method is called, then it raises events.
///
/// ```swift
/// EventSourcedScenario(Account.self, id: "a")
///     .given(AccountOpened(owner: "Ada"), MoneyDeposited(cents: 500))
///     .when { try $0.withdraw(200) }
///     .then(MoneyWithdrawn(cents: 200))
///     .then { #expect($0.balance == 300) }
/// ```
///
/// It needs no store. Events are compared by their types and their JSON. After each step, the scenario folds all events again,
/// and reports an issue if the result is not the state of the entity: the state was changed without an event, or an effect
/// in ``HeadraceDomain/EventSourcedEntity/appliedEvents`` is not deterministic.
public final class EventSourcedScenario<Entity: EventSourcedEntity> {
    /// The entity.
    public private(set) var entity: Entity

    private let id: Entity.ID
    private var history: [any DurableDomainEvent] = []

    /// The error of the last call of a method, with the place of the call.
    private var failure: (error: any Error, location: IssueSink.Location)?

    /// Whether the error was examined or reported.
    private var isFailureKnown = false

    /// The events of the last call of a method, until they are compared.
    private var raised: [any DomainEvent] = []

    /// Creates a scenario with an entity without events.
    public init(_ type: Entity.Type, id: Entity.ID) {
        self.id = id
        entity = Entity(id: id)
    }

    deinit {
        reportUnexaminedFailure()
    }

    /// Applies `events`, which happened before, and reports an issue if the type of an event is not among the
    /// ``HeadraceDomain/EventSourcedEntity/appliedEvents``.
    ///
    /// Use it before ``when(fileID:filePath:line:column:_:)``.
    public func given(
        _ events: any DurableDomainEvent...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> EventSourcedScenario {
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        for event in events where !Entity.applies(event) {
            let message =
                "'\(type(of: event))' is not among the 'appliedEvents' of '\(Entity.self)', so it has no effect."
            IssueSink.current.report(message, location)
        }
        store(events, location)
        entity = Entity.folded(id: id, history)
        reload(location)
        return self
    }

    /// Calls a method of the entity.
    ///
    /// An error of the method is kept for ``thenThrows(_:fileID:filePath:line:column:_:)``. Without that call, the scenario
    /// reports the error at the next step, or at its end.
    public func when(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ body: (Entity) throws -> Void
    ) -> EventSourcedScenario {
        reportUnexaminedFailure()
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        failure = nil
        isFailureKnown = false
        do {
            try body(entity)
        } catch {
            failure = (error, location)
        }
        raised = entity.raisedEvents.events
        entity.raisedEvents = RaisedEvents()
        store(raised.compactMap { $0 as? any DurableDomainEvent }, location)
        if let difference = difference() {
            IssueSink.current.report(difference, location)
        } else {
            reload(location)
        }
        return self
    }

    /// Reports an issue unless the method has raised exactly `events`, in this order, and has thrown nothing.
    ///
    /// An error that ``thenThrows(_:fileID:filePath:line:column:_:)`` has examined before isn't reported.
    @discardableResult public func then(
        _ events: any DomainEvent...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> EventSourcedScenario {
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        reportUnexaminedFailure(location)
        if Self.texts(of: events) != Self.texts(of: raised) {
            IssueSink.current.report("The method has raised \(raised), and not \(events).", location)
        }
        return self
    }

    /// Runs `check` with the entity, and reports an issue if the method has thrown an error that wasn't examined before.
    @discardableResult public func then(_ check: (Entity) throws -> Void) rethrows -> EventSourcedScenario {
        reportUnexaminedFailure()
        try check(entity)
        return self
    }

    /// Reports an issue unless the method has thrown an error of type `type`.
    ///
    /// `check` examines the error.
    @discardableResult public func thenThrows<Failure: Error>(
        _ type: Failure.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ check: (Failure) -> Void = { _ in }
    ) -> EventSourcedScenario {
        isFailureKnown = true
        if let expected = failure?.error as? Failure {
            check(expected)
        } else {
            let result = failure.map { "\($0.error)" } ?? "nothing"
            let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
            IssueSink.current.report("The method has thrown \(result), and no \(type).", location)
        }
        return self
    }

    /// Reports the error of the last call of a method, unless it was examined or reported before.
    private func reportUnexaminedFailure(_ location: IssueSink.Location? = nil) {
        guard let failure, !isFailureKnown else { return }
        isFailureKnown = true
        IssueSink.current.report(
            "The method has thrown \(failure.error). If it must, add 'thenThrows' after 'when'.",
            location ?? failure.location
        )
    }

    /// Adds events to the history, as a store would read them.
    private func store(_ events: [any DurableDomainEvent], _ location: IssueSink.Location) {
        for event in events {
            do {
                history.append(try Self.reloaded(event))
            } catch {
                history.append(event)
                IssueSink.current.report("\(event) can't be encoded and decoded again: \(error)", location)
            }
        }
    }

    private static func reloaded<Event: DurableDomainEvent>(_ event: Event) throws -> any DurableDomainEvent {
        try DocumentCoding.decode(Event.self, from: DocumentCoding.encode(event))
    }

    /// Continues with the entity as a store would read it.
    private func reload(_ location: IssueSink.Location) {
        do {
            entity = try entity.reloaded()
        } catch {
            IssueSink.current.report("The entity can't be encoded and decoded again: \(error)", location)
        }
    }

    /// Returns the difference between the state and the fold of the events, or `nil`.
    private func difference() -> String? {
        do {
            let state = try entity.stateDocument()
            for _ in 0..<2 {
                let fold = try Entity.folded(id: id, history).stateDocument()
                if fold == state { continue }
                return """
                    The state \(String(decoding: state, as: UTF8.self)) is not the fold of the events, which is \
                    \(String(decoding: fold, as: UTF8.self)). To fix, change the state only in the 'appliedEvents', which must \
                    depend on nothing but the encoded members of the entity and of the event.
                    """
            }
            return nil
        } catch {
            return "The state can't be encoded: \(error)"
        }
    }

    private static func texts(of events: [any DomainEvent]) -> [String] {
        events.map { event in
            let json = (event as? any DurableDomainEvent).flatMap { try? DocumentCoding.encode($0) }
            let content = json.map { String(decoding: $0, as: UTF8.self) } ?? "\(event)"
            return "\(String(reflecting: type(of: event))) \(content)"
        }
    }
}
