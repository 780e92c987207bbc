// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceMacros
import HeadraceProcesses
import HeadraceResolution
import HeadraceStorage

// Mistakes with entities and handlers of events. Each error names the mistake and the remedy.

struct Renamed: DomainEvent {}

@DomainEntity
final class Ticket: StoredEntity {
    static let entityName = "ticket"
    let id: UUID

    init(id: UUID) {
        self.id = id
    }
}

@DomainEntity
final class UnstoredEntity {
    let id = UUID()
}

final class UnresolvableHandler: HandlesDomainEvent {
    func handle(_ event: Renamed) async throws {}
}

struct StaticHandler: DomainEventHandler {
    static func handle(event: Renamed, resolver: any DependencyResolver) async throws {}
}

func registerAHandlerThatNoScopeCanCreate(in builder: any DependencyRegistry, on store: any DeliveryStore) {
    // expected-error@+1 {{A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each handler.}}
    builder.domain(store: store, handlers: [UnresolvableHandler.self])
    // expected-error@+1 {{A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each handler.}}
    builder.domainEvents(handlers: [UnresolvableHandler.self])
}

func registerAStaticHandlerAsAnInstance(in builder: any DependencyRegistry, on store: any DeliveryStore) {
    // expected-error@+1 {{A list contains a type that doesn't belong there.}}
    builder.domain(store: store, handlers: [StaticHandler.self])
    // expected-error@+1 {{'DomainEvent' into 'events', 'HandlesDomainEvent' into 'handlers', and 'DomainEventHandler' into 'staticHandlers'.}}
    builder.domainEvents(handlers: [StaticHandler.self])
}

func registerAnEntityAsAnEvent(in builder: any DependencyRegistry, on store: any DeliveryStore) {
    // expected-error@+1 {{To fix, put types that conform to 'DomainEvent' into 'events'}}
    builder.domain(store: store, events: [UnstoredEntity.self])
}

// expected-error@+2 {{type 'EntityWithoutTheMacro' does not conform to protocol 'HasDomainEvents'}}
// expected-error@+1 {{An entity keeps the events that it raises. To fix, write '@DomainEntity' before the class, or declare 'var raisedEvents = RaisedEvents()'.}}
final class EntityWithoutTheMacro: StoredEntity {
    static let entityName = "entity"
    let id: UUID

    init(id: UUID) {
        self.id = id
    }
}

final class ClassThatRaisesEvents {
    func rename() {
        // expected-error@+1 {{Only entities raise events. To fix, write '@DomainEntity' before the class.}}
        raiseEvent(Renamed())
    }
}
