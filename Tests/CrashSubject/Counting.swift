// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage

/// Counts in event-sourced counters, each from several tasks.
enum Counting {
    /// The names of the counters.
    static let names = (0..<4).map { "\($0)" }

    /// Makes `count` steps of each counter in each of two tasks, and then checks that each state is the fold of its events.
    static func run(path: String, steps count: Int) async throws {
        let store = try await Subject(path: path, entities: [StepCounter.self]).store
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names + names {
                group.addTask {
                    for _ in 0..<count { try await step(name, in: store, registrar) }
                }
            }
            try await group.waitForAll()
        }
        for name in names { try await check(name, in: store) }
    }

    private static func step(
        _ name: String,
        in store: any DeliveryStore,
        _ registrar: DomainEventHandlerRegistrar
    ) async throws {
        while true {
            do {
                let total = try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute {
                    context in
                    let counter = try await context.find(StepCounter.self, id: name) ?? StepCounter(id: name)
                    context.insert(counter)
                    // The steps are 1, 2, 3, and so on, so that each lost or repeated event shows.
                    counter.raiseEvent(Stepped(number: counter.count + 1))
                    return counter.count
                }
                return CrashSubject.say("counted \(name) \(total)")
            } catch let error as StoreError where error.isRetryable {}
        }
    }

    /// Throws unless the stored state, the stream, and the log agree.
    private static func check(_ name: String, in store: any DeliveryStore) async throws {
        let context = EntityContext(store)
        guard let counter = try await context.find(StepCounter.self, id: name) else { return }
        let history = try await context.history(of: StepCounter.self, id: name, limit: .max)
        let numbers = history.map { ($0.event as? Stepped)?.number ?? 0 }
        let logged = try await store.events(after: 0, limit: .max).filter { $0.event.stream?.key == name }
        guard numbers == Array(1...counter.count), counter.sum == numbers.reduce(0, +), logged.count == counter.count
        else { throw WrongCount(name: name, numbers: numbers, logged: logged.count) }
        CrashSubject.say("checked \(name) \(counter.count)")
    }
}

private struct WrongCount: Error {
    let name: String
    let numbers: [Int]
    let logged: Int
}

private final class StepCounter: EventSourcedEntity {
    static let entityName = "step-counter"
    static let snapshotInterval = 3
    static var appliedEvents: [AppliedEvent<StepCounter>] {
        [
            .on(Stepped.self) { counter, event in
                counter.count += 1
                counter.sum += event.number
            }
        ]
    }

    let id: String
    private(set) var count = 0
    private(set) var sum = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private struct Stepped: DurableDomainEvent {
    static let eventName = "stepped"
    var number: Int
}
#endif
