// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import HeadraceDomain
public import HeadraceStorage

/// Refuses messages that exceed a rate limit which all processes on one store share.
///
/// ```swift
/// SharedRateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal, on: store)
/// ```
///
/// A ``HeadraceCore/RateLimitMiddleware`` has the same rule, and keeps its buckets in memory. Here each bucket is a
/// ``RateLimitBucket`` in the store, and the store checks its version at each commit, so no token is taken twice, even if many
/// processes ask at the same time.
///
/// A message that passes costs a read and a commit of one document, outside of any unit of work: its token stays taken if the
/// message fails. A message that is refused costs a read. The commit is ``HeadraceStorage/Durability/relaxed``, so a power
/// failure may give tokens back. Each key leaves one document of about a hundred bytes in the store.
///
/// Tasks of one process take the tokens of a key one after the other. If another process was faster, the middleware reads
/// the bucket again, up to `maximumAttempts` times, without a pause, because each conflict means that another process has taken a token.
/// After that it throws the conflict, which is retryable. A limit for all messages of a busy program makes one document
/// the bottleneck. Prefer a key, or the limit in memory.
///
/// The store's clock states the time, if it has a clock, and otherwise the clock of each machine. A process whose clock is
/// ahead receives tokens early, and other processes wait at most a minute longer than for an empty bucket. A clock that is ahead by
/// more than a minute may exceed the limit.
public struct SharedRateLimitMiddleware: Middleware {
    private let rule: StoredTokenBucket
    private let name: String
    private let key: RateLimitMiddleware.Key
    private let store: any EntityStore
    private let wallClock: @Sendable () -> Date
    private let maximumAttempts: Int
    private let lock = KeyedLock<String>()

    /// Creates middleware that allows `count` messages in each `interval`.
    ///
    /// - Parameters:
    ///   - count: Average number of messages in each interval, at least 1.
    ///   - interval: Length of the interval, greater than zero.
    ///   - burst: Maximum number of messages at once after a pause, at least 1; `count` by default.
    ///   - key: The messages that share a limit.
    ///   - name: The name of the limit. Limits with the same name on one store share their buckets.
    ///   - maximumAttempts: Maximum number of attempts to take a token, at least 1.
    ///   - store: The store of the buckets, opened with ``RateLimitBucket``.
    ///   - wallClock: Returns the current time; `nil` for the clock of the store, or for the clock of this machine if the store
    ///     has none.
    public init(
        _ count: Int,
        every interval: Duration,
        burst: Int? = nil,
        per key: RateLimitMiddleware.Key = .messageType,
        named name: String = "messages",
        maximumAttempts: Int = 32,
        on store: any EntityStore,
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        precondition(
            count >= 1 && interval > .zero,
            "The rate limit allows no message. To fix, pass a count of at least 1 and an interval greater than zero.")
        precondition(burst ?? count >= 1, "The burst of the rate limit is less than 1. To fix, pass 1 or more.")
        precondition(maximumAttempts >= 1, "The number of attempts is less than 1. To fix, pass 1 or more.")
        rule = StoredTokenBucket(count: count, interval: interval, burst: burst ?? count)
        self.name = name
        self.key = key
        self.store = store
        let storeClock = (store as? any DeliveryStore)?.wallClock
        self.wallClock = wallClock ?? storeClock ?? { SystemValues.currentDate }
        self.maximumAttempts = maximumAttempts
    }

    /// Handles `message` unless it exceeds the limit.
    ///
    /// - Throws: `RateLimitError` if it exceeds the limit; ``HeadraceStorage/StoreError`` if the bucket can't be read or
    ///   written; `CancellationError` if the task is cancelled while it waits; the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        // The unit separator occurs in no sensible name, so different parts have different keys.
        let id = ([name] + key.parts(of: context)).joined(separator: "\u{1F}")
        let reference = EntityReference(kind: RateLimitBucket.entityName, key: id)
        if let wait = try await lock.withLock(id, { try await take(reference) }) {
            throw RateLimitError(context, now: SystemValues.current.clock.now, retryAfter: wait)
        }
        return try await next(message)
    }

    /// Takes a token.
    ///
    /// - Returns: `nil` if a token was taken; the time until the next token if the bucket is empty.
    private nonisolated(nonsending) func take(_ reference: EntityReference) async throws -> Duration? {
        var attempt = 1
        while true {
            let stored = try await store.find(reference)
            let bucket = try stored.map { try DocumentCoding.decode(RateLimitBucket.self, from: $0.json) }
            let now = Int64((wallClock().timeIntervalSince1970 * 1_000_000).rounded()) * 1_000
            switch rule.take(from: bucket?.fullAgain, at: now) {
            case .empty(let instant):
                return .nanoseconds(instant - now)
            case .taken(let fullAgain):
                do {
                    try await store.commit(try change(of: stored, reference, fullAgain: fullAgain))
                    return nil
                } catch let error as StoreError
                    where [.versionConflict, .alreadyExists].contains(error.code) && attempt < maximumAttempts
                {
                    attempt += 1
                }
            }
        }
    }

    private func change(
        of stored: StoredDocument?,
        _ reference: EntityReference,
        fullAgain: Int64
    ) throws -> ChangeSet {
        let document = StoredDocument(
            reference: reference,
            version: (stored?.version ?? 0) + 1,
            schemaVersion: RateLimitBucket.schemaVersion,
            json: try DocumentCoding.encode(RateLimitBucket(id: reference.key, fullAgain: fullAgain))
        )
        var changes = ChangeSet(writes: [ChangeSet.Write(document: document)])
        changes.durability = .relaxed
        return changes
    }
}
