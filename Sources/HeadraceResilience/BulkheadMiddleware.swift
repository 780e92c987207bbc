// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import HeadraceCore
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
/// A message that a handler sends within its own compartment passes, because the outer message holds a permit for both. The
/// permit is released when both have ended.
///
/// Register it outside a ``HeadraceCore/TimeoutMiddleware`` if the time-out must not include the wait.
///
/// Metrics, with the label `compartment`: `headrace.bulkhead.refused`, a counter, and `headrace.bulkhead.messages`, a gauge:
/// the number of messages that are being handled or are waiting.
///
/// The compartments are in memory: each process has its own.
public struct BulkheadMiddleware: Middleware {
    private let group: MessageGroup
    private let compartments: Compartments

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

    /// Handles `message` when its compartment has a permit.
    ///
    /// - Throws: ``BulkheadError`` if the compartment is full; `CancellationError` if the task is cancelled while it waits;
    ///   the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard let key = group.key(of: message, in: context) else { return try await next(message) }
        if let outer = GroupHandling.join(key, of: compartments) {
            defer { outer.leave() }
            return try await next(message)
        }
        let compartment = compartments[key]
        guard compartment.enter() else { throw BulkheadError(context, compartment: key.name) }
        do {
            try await compartment.permits.wait()
        } catch {
            compartment.leave()
            throw error
        }
        return try await GroupHandling.run(
            key, of: compartments,
            atEnd: {
                compartment.leave()
                compartment.permits.release()
            }
        ) {
            try await next(message)
        }
    }
}

/// The permits of a group, and the number of messages that have or want one.
private final class Compartment: Sendable {
    let permits: Permits
    private let count: Int
    private let waiting: Int
    private let refused: Counter
    private let messages: Gauge
    private let messageCount = Mutex(0)

    init(_ key: MessageGroupKey, count: Int, waiting: Int, _ factory: any MetricsFactory) {
        let dimensions = [("compartment", key.name)]
        permits = Permits(count)
        self.count = count
        self.waiting = waiting
        refused = Counter(label: "headrace.bulkhead.refused", dimensions: dimensions, factory: factory)
        messages = Gauge(label: "headrace.bulkhead.messages", dimensions: dimensions, factory: factory)
    }

    /// Returns false if the compartment is full.
    func enter() -> Bool {
        messageCount.withLock { messageCount in
            // A subtraction can't overflow, as the sum of the limits can.
            guard messageCount - count < waiting else {
                refused.increment()
                return false
            }
            messageCount += 1
            messages.record(messageCount)
            return true
        }
    }

    func leave() {
        messageCount.withLock { messageCount in
            messageCount -= 1
            messages.record(messageCount)
        }
    }
}

/// The compartments by key.
private final class Compartments: Sendable {
    private let count: Int
    private let waiting: Int
    private let factory: any MetricsFactory
    private let compartments = Mutex<[MessageGroupKey: Compartment]>([:])

    init(count: Int, waiting: Int, _ factory: any MetricsFactory) {
        self.count = count
        self.waiting = waiting
        self.factory = factory
    }

    /// The compartment of `key`, which is created for its first message.
    subscript(key: MessageGroupKey) -> Compartment {
        compartments.withLock { compartments in
            if let compartment = compartments[key] { return compartment }
            let compartment = Compartment(key, count: count, waiting: waiting, factory)
            compartments[key] = compartment
            return compartment
        }
    }
}

/// An error for a message that was refused, because too many messages are being handled or are waiting.
public struct BulkheadError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// Key of the compartment.
    public let compartment: String

    /// The only code: `bulkheadFull`.
    public var code: String { "bulkheadFull" }

    /// A description of the error and its fix.
    public var message: String {
        """
        The compartment '\(compartment)' is full, so '\(messageType)' wasn't handled. To fix, send it again later, or \
        raise the limits of the compartment.
        """
    }

    init(_ context: MessageContext, compartment: String) {
        messageType = context.typeName
        self.compartment = compartment
    }
}

extension BulkheadError: RetryableError {
    /// Always true, because the message wasn't handled.
    public var isRetryable: Bool { true }
}
