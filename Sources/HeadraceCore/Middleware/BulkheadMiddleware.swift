//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CoreMetrics
import Synchronization

/// Limits the number of messages that are handled at the same time, so that a slow service doesn't occupy the whole program.
///
/// ```swift
/// BulkheadMiddleware(10, waiting: 50, per: .all(named: "payments"))
/// ```
///
/// Each group of messages has a compartment. At most `count` messages of a group are handled at the same time. Up to `waiting` more
/// messages wait, in order of arrival. Further messages are refused at once. A message that waits and whose task is cancelled
/// leaves the compartment.
///
/// A message that a handler sends within its own compartment passes, because the outer message holds a place for both.
///
/// Register it outside a ``TimeoutMiddleware`` if the time-out must not include the wait.
///
/// Metrics, with the label `compartment`: `headrace.bulkhead.refused`, a counter, and `headrace.bulkhead.messages`, a gauge:
/// the number of messages that are being handled or are waiting.
///
/// The compartments are in memory: each process has its own.
public struct BulkheadMiddleware: Middleware {
    private let group: MessageGroup
    private let compartments: Compartments

    @TaskLocal private static var held: HeldPlace?

    /// Creates middleware with empty compartments.
    ///
    /// - Parameters:
    ///   - count: Maximum number of messages of a group that are handled at the same time, at least 1.
    ///   - waiting: Maximum number of messages of a group that wait, at least 0.
    ///   - group: The messages that share a compartment.
    ///   - factory: The factory of the metrics. Bootstrap the metrics system before you use the default.
    public init(
        _ count: Int,
        waiting: Int = 0,
        per group: MessageGroup = .messageType,
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        precondition(count >= 1, "The number of messages is less than 1. To fix, pass 1 or more.")
        precondition(waiting >= 0, "The number of waiting messages is negative. To fix, pass 0 or more.")
        self.group = group
        compartments = Compartments(count: count, waiting: waiting, factory)
    }

    /// Handles `message` when its compartment has a place.
    ///
    /// - Throws: ``BulkheadError`` if the compartment is full; `CancellationError` if the task is cancelled while it waits;
    ///   the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard
            let key = group.key(of: message, in: context),
            Self.held?.includes(key, of: compartments) != true
        else { return try await next(message) }
        guard let permits = compartments.enter(key) else { throw BulkheadError(context, compartment: key) }
        defer { compartments.leave(key) }
        return try await permits.withPermit {
            let place = HeldPlace(key: key, compartments: compartments, outer: Self.held)
            defer { place.release() }
            return try await Self.$held.binding(place) { try await next(message) }
        }
    }
}

/// A place that the current task holds, with the places that it has held before.
private final class HeldPlace: Sendable {
    private let key: String
    private let compartments: Compartments
    private let outer: HeldPlace?
    private let isReleased = Atomic(false)

    init(key: String, compartments: Compartments, outer: HeldPlace?) {
        self.key = key
        self.compartments = compartments
        self.outer = outer
    }

    /// Whether the task holds a place of `key`.
    ///
    /// A task that outlives the handler which started it holds none.
    func includes(_ key: String, of compartments: Compartments) -> Bool {
        var place: HeldPlace? = self
        while let current = place {
            if current.key == key, current.compartments === compartments,
                !current.isReleased.load(ordering: .acquiring)
            {
                return true
            }
            place = current.outer
        }
        return false
    }

    func release() {
        isReleased.store(true, ordering: .releasing)
    }
}

/// The compartments that have messages, by key.
private final class Compartments: Sendable {
    private struct Compartment {
        let permits: Permits
        var messageCount = 0
    }

    private struct Metrics {
        let refused: Counter
        let messages: Gauge
    }

    private struct State {
        var compartments: [String: Compartment] = [:]
        var metrics: [String: Metrics] = [:]
    }

    private let count: Int
    private let waiting: Int
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(count: Int, waiting: Int, _ factory: any MetricsFactory) {
        self.count = count
        self.waiting = waiting
        self.factory = factory
    }

    /// Enters the compartment of `key`, and returns its permits; `nil` if it is full.
    func enter(_ key: String) -> Permits? {
        state.withLock { state in
            let metrics = metrics(of: key, in: &state)
            var compartment = state.compartments[key] ?? Compartment(permits: Permits(count))
            // A subtraction can't overflow, as the sum of the limits can.
            guard compartment.messageCount - count < waiting else {
                metrics.refused.increment()
                return nil
            }
            compartment.messageCount += 1
            metrics.messages.record(compartment.messageCount)
            state.compartments[key] = compartment
            return compartment.permits
        }
    }

    /// Leaves the compartment of `key`, which is removed when it is empty.
    func leave(_ key: String) {
        state.withLock { state in
            guard var compartment = state.compartments[key] else { return }
            compartment.messageCount -= 1
            metrics(of: key, in: &state).messages.record(compartment.messageCount)
            state.compartments[key] = compartment.messageCount == 0 ? nil : compartment
        }
    }

    private func metrics(of key: String, in state: inout State) -> Metrics {
        if let metrics = state.metrics[key] { return metrics }
        let dimensions = [("compartment", key)]
        let metrics = Metrics(
            refused: Counter(label: "headrace.bulkhead.refused", dimensions: dimensions, factory: factory),
            messages: Gauge(label: "headrace.bulkhead.messages", dimensions: dimensions, factory: factory)
        )
        state.metrics[key] = metrics
        return metrics
    }
}
