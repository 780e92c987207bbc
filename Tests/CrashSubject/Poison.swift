// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceSQLite

/// Delivers nine events of one stream.
///
/// The fifth event kills the process each time.
enum Poison {
    static func run(path: String) async throws {
        let store = try SQLiteStore(path: path, entities: [Account.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(Swallow.self)
        if try await EntityContext(store).find(Account.self, id: "a") == nil {
            for _ in 1...9 { try await Relaying.deposit("a", in: store, registrar: registrar) }
        }
        try await Relaying.withRelay(on: store, registrar: registrar, maximumAttempts: 3)
    }

    /// Delivers the first event of each of 60 streams.
    ///
    /// One of the events kills the process each time.
    static func runCrowd(path: String) async throws {
        let store = try SQLiteStore(path: path, entities: [Account.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(Admit.self)
        if try await EntityContext(store).find(Account.self, id: "0") == nil {
            for account in 0..<60 { try await Relaying.deposit("\(account)", in: store, registrar: registrar) }
        }
        try await Relaying.withRelay(on: store, registrar: registrar, maximumAttempts: 4)
    }
}

private struct Admit: DurableDomainEventHandler {
    static let subscriptionName = "admit"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        if event.account == "5" { kill(getpid(), SIGKILL) }
        CrashSubject.say("admitted \(event.account)")
    }
}

private struct Swallow: DurableDomainEventHandler {
    static let subscriptionName = "swallow"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        if event.number == 5 { kill(getpid(), SIGKILL) }
        CrashSubject.say("swallowed \(event.number)")
    }
}
#endif
