// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
public import HeadraceDomain
public import HeadraceRelay
import HeadraceStorage
import Synchronization

/// A running relay on a clock that the test advances.
///
/// ```swift
/// try await TestRelay.run(container.resolve()) { relay in
///     try await dispatcher.dispatch(ReserveSeat(seat: "A1"))
///     try await relay.advance(by: .seconds(15 * 60))
///     #expect(try await !dispatcher.dispatch(IsReserved(seat: "A1")))
/// }
/// ```
///
/// No real time passes, and the test waits for each delivery. The date, the UUIDs, and the random numbers of
/// ``HeadraceCore/SystemValues`` belong to the test.
///
/// The order isn't fixed: the relay handles deliveries of different streams and subscriptions at the same time, and beside the
/// test. Tasks that run at the same time also share the sequence of UUIDs and random numbers in any order. To fix the order of the
/// deliveries, set `concurrency` to 1 in the configuration of the relay, and call ``untilIdle()`` after each command. To repeat all
/// orders by a seed, run the test in `Simulation.explore` of `HeadraceSimulation`.
///
/// A handler that fails fails the test: ``untilIdle()`` and ``advance(by:)`` throw if a delivery has failed meanwhile and no later
/// attempt has succeeded. A test that expects a failure expects the error:
///
/// ```swift
/// await #expect(throws: RelayError.self) { try await relay.untilIdle() }
/// ```
public struct TestRelay: Sendable {
    /// The clock, which is also the source of the date.
    public let clock: TestClock

    private let relay: Relay
    private let failures: HandlerFailures

    /// Runs `relay` while `operation` runs, and then shuts it down.
    ///
    /// ``HeadraceCore/SystemValues/current`` is `SystemValues.test(clock:seed:)` for the relay and for `operation`.
    ///
    /// - Parameters:
    ///   - relay: A relay that was created without a clock of its own: it has ``HeadraceCore/CurrentClock``. `domain(…)`
    ///     registers one.
    ///   - clock: The clock.
    ///   - seed: The seed of the random numbers and of the random bits in UUIDs.
    ///   - operation: The test, which runs on the actor of the caller.
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`; the errors of `Relay.run()`.
    public static nonisolated(nonsending) func run<Result>(
        _ relay: Relay,
        clock: TestClock = TestClock(),
        seed: UInt64 = 1,
        _ operation: nonisolated(nonsending) (TestRelay) async throws -> Result
    ) async throws -> Result {
        let failures = HandlerFailures()
        relay.add(failures)
        return try await SystemValues.withCurrent(.test(clock: clock, seed: seed)) {
            try await withRelay(relay) {
                try await operation(TestRelay(clock: clock, relay: relay, failures: failures))
            }
        }
    }

    /// Returns when all deliveries that are due have been handled; see ``HeadraceRelay/Relay/untilIdle()``.
    ///
    /// - Throws: ``HeadraceRelay/RelayError`` with the code `handlerFailed` if the last attempt at a delivery has failed since the last
    ///   call of this method or of ``advance(by:)``; the errors of ``HeadraceRelay/Relay/untilIdle()``.
    public nonisolated(nonsending) func untilIdle() async throws {
        try await relay.untilIdle()
        try failures.check()
    }

    /// Advances the clock by `duration`, and handles each delivery at the time at which it becomes due.
    ///
    /// The clock stops at each of these times, so a message that a handler schedules after a delay is due at the right time.
    /// Times are rounded to milliseconds, as in the store. A retry that succeeds within the step is no failure.
    ///
    /// - Parameter duration: The step; it must not be negative.
    /// - Throws: The same errors as ``untilIdle()``; the clock has advanced by `duration` if a handler has failed.
    public nonisolated(nonsending) func advance(by duration: Duration) async throws {
        try await clock.advance(by: duration) { try await relay.idle() }
        try failures.check()
    }
}

extension TestClock {
    /// Advances the clock by `duration`, and stops at each time at which something becomes due.
    ///
    /// - Parameters:
    ///   - duration: The step; it must not be negative.
    ///   - idle: Does what is due, and returns the next time at which something becomes due, or `nil`.
    /// - Throws: The errors of `idle`.
    nonisolated(nonsending) func advance(
        by duration: Duration,
        stoppingAt idle: nonisolated(nonsending) () async throws -> Date?
    ) async throws {
        let end = now.advanced(by: duration)
        while true {
            let due = try await idle()
            let rest = now.duration(to: end)
            if rest <= .zero { return }
            let next = due.map { max(1, ($0.timeIntervalSince(date) * 1_000).rounded()) }
            // A date may lie too far ahead for a duration.
            let step = next.flatMap { $0 < rest / .milliseconds(1) ? Duration.milliseconds($0) : nil }
            advance(by: min(step ?? rest, rest))
        }
    }
}

/// Runs `relay` while `operation` runs, and then shuts it down.
///
/// - Returns: The result of `operation`.
/// - Throws: The errors of `Relay.run()`; the errors of `operation`.
package nonisolated(nonsending) func withRelay<Result>(
    _ relay: Relay,
    _ operation: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
    let running = Task { try await relay.run() }
    do {
        let result = try await operation()
        relay.shutDown()
        try await running.value
        return result
    } catch {
        running.cancel()
        // A relay that can't run is the reason why the test failed.
        if case .failure(let reason) = await running.result, !(reason is CancellationError) { throw reason }
        throw error
    }
}

/// The deliveries whose last attempt has failed.
final class HandlerFailures: RelayObserver {
    private struct Key: Hashable {
        let subscription: String
        let position: Int64

        init(_ delivery: Delivery) {
            subscription = delivery.subscription
            position = delivery.position
        }
    }

    private let reasons = Mutex<[Key: String]>([:])

    func delivered(_ delivery: Delivery) {
        reasons.withLock { $0[Key(delivery)] = nil }
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        note(delivery, "\(error)")
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        note(delivery, reason)
    }

    private func note(_ delivery: Delivery, _ reason: String) {
        let name = delivery.content.message?.name ?? "a message"
        reasons.withLock { $0[Key(delivery)] = "'\(name)' for '\(delivery.subscription)': \(reason)" }
    }

    /// Forgets the failures, and throws an error with their reasons if there are any.
    ///
    /// - Throws: ``HeadraceRelay/RelayError`` with the code `handlerFailed`.
    func check() throws {
        let taken = reasons.withLock { reasons in
            defer { reasons.removeAll() }
            return reasons.values.sorted()
        }
        if !taken.isEmpty { throw RelayError.handlersFailed(taken) }
    }
}

/// A delegator that records events in order instead of passing them to handlers.
///
/// ```swift
/// let delegator = RecordingDelegator()
/// try await UnitOfWork(delegator: delegator, context: context).execute { $0.insert(customer) }
/// #expect(delegator.eventsAfterCommit.count == 1)
/// ```
public final class RecordingDelegator: DomainEventDelegator {
    private struct Record {
        var beforeCommit: [any DomainEvent] = []
        var afterCommit: [any DomainEvent] = []
    }

    private let record = Mutex(Record())
    private let reject: @Sendable (any DomainEvent) throws -> Void

    /// Creates a delegator without events.
    ///
    /// - Parameter reject: Throws an error for events that must prevent the commit. It runs after the event was recorded. By
    ///   default, no event is rejected.
    public init(rejecting reject: @escaping @Sendable (any DomainEvent) throws -> Void = { _ in }) {
        self.reject = reject
    }

    /// The events before commits, in order.
    ///
    /// This includes events of units of work that failed.
    public var eventsBeforeCommit: [any DomainEvent] { record.withLock { $0.beforeCommit } }

    /// The events after commits, in order.
    public var eventsAfterCommit: [any DomainEvent] { record.withLock { $0.afterCommit } }

    /// Records `event`, and throws the error of `reject`.
    ///
    /// - Throws: The error of `reject`.
    public nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        record.withLock { $0.beforeCommit.append(event) }
        try reject(event)
    }

    /// Records `event`.
    public nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        record.withLock { $0.afterCommit.append(event) }
    }
}
