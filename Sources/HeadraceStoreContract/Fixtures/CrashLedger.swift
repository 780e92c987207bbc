// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
package import HeadraceDomain
import HeadraceResolution
package import HeadraceStorage
import Synchronization

/// Numbered events of several streams, and their handlers, for relays on a server that crashes.
///
/// Each stream has the events 1, 2, 3, and so on. ``check(on:)`` finds out whether the handlers have received all of them in order,
/// and whether the changes of each handler have taken effect once.
package final class CrashLedger: Sendable {
    /// The types of entity that the store needs.
    package static let entities: [any StoredEntity.Type] = [Source.self, Copy.self]

    /// The handlers.
    package let registrar: DomainEventHandlerRegistrar

    private let notes: Notes
    private let subscriptions: [String]

    /// - Parameters:
    ///   - isWriting: Whether one of the handlers writes, and its commits wait for the disk.
    ///   - crashCount: Returns the number of crashes so far.
    ///   - handle: Is called in each handler, before and after its effect.
    package init(
        isWriting: Bool = true,
        crashCount: @escaping @Sendable () -> Int,
        handle: @escaping @Sendable (_ hasEffect: Bool) async throws -> Void = { _ in }
    ) {
        notes = Notes(crashCount: crashCount, handle: handle)
        let services = ServiceLocator()
        services.register(notes)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(Tell.self)
        if isWriting { registrar.register(Fill.self) }
        subscriptions = [Tell.subscriptionName] + (isWriting ? [Fill.subscriptionName] : [])
    }

    /// Adds `count` events to `stream`, in one unit of work.
    ///
    /// If it throws an error with an unknown outcome, the events may be stored.
    package nonisolated(nonsending) func write(_ count: Int, to stream: String, on store: any DeliveryStore)
        async throws
    {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let source = try await context.find(Source.self, id: stream) ?? Source(stream)
            context.insert(source)
            for _ in 0..<count {
                source.count += 1
                source.raiseEvent(Entry(stream: stream, number: source.count))
            }
        }
    }

    /// Throws ``ContractViolation`` if an event was lost, or handled out of order, or took effect twice.
    package nonisolated(nonsending) func check(on store: any DeliveryStore) async throws {
        let statistics = try await store.deliveryStatistics()
        try requireEqual(statistics.pendingCount, 0, "the number of pending deliveries")
        try requireEqual(statistics.deadLetterCount, 0, "the number of dead letters")
        let context = EntityContext(store)
        for source in try await context.fetch(Source.self) {
            if subscriptions.contains(Fill.subscriptionName) {
                let copy = try await context.find(Copy.self, id: source.id)
                let numbers = Array(1...max(1, source.count))
                try requireEqual(copy?.numbers ?? [], numbers, "the effect of the stream \(source.id)")
            }
            for subscription in subscriptions {
                let seen = notes.seen(by: subscription, of: source.id)
                try requireOrder(of: seen, to: source.count, "'\(subscription)' of the stream \(source.id)")
            }
        }
    }

    /// Requires that `seen` skips nothing, ends with `last`, and goes back at most once for each crash.
    private func requireOrder(of seen: [Int], to last: Int, _ subject: String) throws {
        var (latest, returns) = (0, 0)
        for number in seen {
            try require(number <= latest + 1, "\(subject) skips nothing", "\(number) follows \(latest) in \(seen)")
            if number <= latest { returns += 1 }
            latest = number
        }
        try require(latest == last, "\(subject) ends with \(last)", "it ends with \(latest): \(seen)")
        try require(returns <= notes.crashCount(), "\(subject) goes back only after a crash", "it is \(seen)")
    }
}

private final class Notes: Sendable {
    let crashCount: @Sendable () -> Int
    let handle: @Sendable (Bool) async throws -> Void
    private let seen = Mutex<[String: [Int]]>([:])

    init(crashCount: @escaping @Sendable () -> Int, handle: @escaping @Sendable (Bool) async throws -> Void) {
        self.crashCount = crashCount
        self.handle = handle
    }

    func note(_ entry: Entry, by subscription: String) {
        seen.withLock { $0["\(subscription) \(entry.stream)", default: []].append(entry.number) }
    }

    func seen(by subscription: String, of stream: String) -> [Int] {
        seen.withLock { $0["\(subscription) \(stream)"] ?? [] }
    }
}

private final class Source: StoredEntity {
    static let entityName = "source"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private final class Copy: StoredEntity {
    static let entityName = "copy"

    let id: String
    var numbers: [Int] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct Entry: DurableDomainEvent {
    static let eventName = "entry"
    var stream: String
    var number: Int
}

/// A handler that writes nothing, so that its deliveries are settled alone.
private struct Tell: DurableDomainEventHandler {
    static let subscriptionName = "tell"

    static func handle(event: Entry, resolver: any DependencyResolver) async throws {
        let notes = resolver.resolve(Notes.self)
        try await notes.handle(false)
        notes.note(event, by: subscriptionName)
        try await notes.handle(true)
    }
}

/// A handler that writes, so that its deliveries are settled by its commit.
private struct Fill: DurableDomainEventHandler {
    static let subscriptionName = "fill"

    static func handle(event: Entry, resolver: any DependencyResolver) async throws {
        let notes = resolver.resolve(Notes.self)
        let context = resolver.resolve(EntityContext.self)
        let copy = try await context.find(Copy.self, id: event.stream) ?? Copy(event.stream)
        context.insert(copy)
        copy.numbers.append(event.number)
        try await notes.handle(false)
        notes.note(event, by: subscriptionName)
        try await notes.handle(true)
    }
}
