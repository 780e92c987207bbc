// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Makes deposits into accounts, and delivers their events to a handler that writes to the store and to a handler that
/// does not.
enum Relaying {
    static func run(path: String, deposits: Int) async throws {
        let subject = try await Subject(path: path, entities: [Account.self, Mirror.self])
        let store = subject.store
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator(), observers: CrashFaults.observers)
        registrar.register(Reflect.self)
        registrar.register(Mail.self)

        try await withRelay(on: store, registrar: registrar) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in 0..<8 {
                    group.addTask {
                        for _ in 0..<deposits { try await deposit("\(account)", in: store, registrar: registrar) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Runs a relay until `body` has returned and no delivery is left.
    ///
    /// Its leases are short, so that the leases of another process are soon taken over.
    static func withRelay(
        on store: any DeliveryStore,
        registrar: DomainEventHandlerRegistrar,
        maximumAttempts: Int = 12,
        _ body: () async throws -> Void = {}
    ) async throws {
        var configuration = configuration
        configuration.maximumAttempts = maximumAttempts
        let relay = Relay(
            store: store, registrar: registrar, configuration: configuration, relayObservers: [Lost()])
        try await run(relay, on: store, body)
    }

    /// The configuration of relays, with short leases and pauses.
    static var configuration: Relay.Configuration {
        var configuration = Relay.Configuration()
        configuration.leaseDuration = .milliseconds(400)
        configuration.pollInterval = .milliseconds(50)
        return configuration
    }

    /// Runs `relay` until `body` has returned and no delivery is left.
    static func run(_ relay: Relay, on store: any DeliveryStore, _ body: () async throws -> Void) async throws {
        async let running: Void = relay.run()
        try await body()
        while try await store.deliveryStatistics().pendingCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
        relay.shutDown()
        try await running
    }

    static func deposit(
        _ account: String,
        in store: any DeliveryStore,
        registrar: DomainEventHandlerRegistrar
    ) async throws {
        let number = try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let source = try await context.find(Account.self, id: account) ?? Account(account)
            context.insert(source)
            source.count += 1
            source.raiseEvent(Deposited(account: account, number: source.count))
            return source.count
        }
        CrashSubject.say("deposited \(account) \(number)")
    }
}

/// Prints lost leases.
private struct Lost: RelayObserver {
    func leaseLost(_ lease: Lease) { CrashSubject.say("lost") }
}

/// Stores a mirror of each account from its events, and records events that are out of order or repeated.
private struct Reflect: DurableDomainEventHandler {
    static let subscriptionName = "reflect"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        let context = resolver.resolve(EntityContext.self)
        let mirror = try await context.find(Mirror.self, id: event.account) ?? Mirror(event.account)
        context.insert(mirror)
        if event.number != mirror.count + 1 { mirror.mistakes.append("\(event.number) after \(mirror.count)") }
        mirror.count += 1
    }
}

/// Has an effect outside of the store, without a transaction: prints each event.
private struct Mail: DurableDomainEventHandler {
    static let subscriptionName = "mail"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        CrashSubject.say("mailed \(event.account) \(event.number)")
    }
}

final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

private final class Mirror: StoredEntity {
    static let entityName = "mirror"

    let id: String
    var count = 0
    var mistakes: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

struct Deposited: DurableDomainEvent {
    static let eventName = "deposited"
    var account: String
    var number: Int
}
#endif
