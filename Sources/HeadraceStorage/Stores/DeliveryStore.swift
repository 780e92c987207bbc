//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A store that also keeps what is to be delivered: to which subscriptions, how often tried, and by whom right now.
///
/// A `Relay` works on one. ``InMemoryStore`` and the SQLite store are; a store of your own passes the contract suite
/// of `HeadraceTesting`, which tries all of this.
///
/// A store has no clock: whoever asks says what time it is. Clocks of several processes may differ; that costs an attempt
/// that is repeated, never the fencing, which does not look at any clock.
public protocol DeliveryStore: EntityStore {
    /// Is given whenever a commit of this store has made something to deliver, or may have.
    var deliverySignal: DeliverySignal { get }

    /// Leases lanes that are due.
    ///
    /// A lane is due when nobody has a lease of it, or that has ended, and its first delivery need not wait.
    ///
    /// The time of a lease or of a retry comes from the clock of the relay that asked for it. If that clock was ahead of
    /// `request.now` by more than `request.duration`, the wait begins again at `request.now`: no wrong clock holds up a lane
    /// for longer than was asked for. The dates of scheduled messages stay.
    ///
    /// No attempt counts with a lease. The store remembers up to which delivery a lane was leased. If the lease ends without a
    /// settlement that removes or returns those deliveries, the next lease says that their handlers may have run.
    ///
    /// - Throws: ``StoreError``, with the code `invalidDate` if `request.now` is before 1970.
    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries

    /// Does what `settlements` say, in order, each wholly or not at all.
    ///
    /// Returns once the settlements survive the end of the process. A power failure may lose the last ones.
    ///
    /// Cancellation of the task does not stop it.
    ///
    /// - Returns: The leases that are no longer valid; nothing was done for them.
    /// - Throws: ``StoreError``; nothing was done then.
    func settle(_ settlements: [Settlement]) async throws -> [Lease]

    /// Lets `leases` last until `date`.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``StoreError``.
    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease]

    /// Gives what is stored under an idempotency key, or `nil`.
    ///
    /// - Throws: ``StoreError``.
    func idempotencyRecord(for key: String) async throws -> IdempotencyRecord?

    /// Gives dead letters whose identifiers are greater than `id`, in that order, `limit` at the most.
    ///
    /// - Parameters:
    ///   - id: The identifier of the last one seen; 0 for the start.
    ///   - subscription: Whose; those of all where it is `nil`.
    ///   - limit: How many.
    /// - Returns: The dead letters.
    /// - Throws: ``StoreError``.
    func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter]

    /// Gives the dead letter `id`, or `nil` where there is none any more.
    ///
    /// - Throws: ``StoreError``.
    func deadLetter(_ id: Int64) async throws -> DeadLetter?

    /// Delivers dead letters again, from the first attempt on, each in a lane of its own.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``.
    func replayDeadLetters(_ ids: [Int64]) async throws -> Int

    /// Forgets dead letters.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``.
    func discardDeadLetters(_ ids: [Int64]) async throws -> Int

    /// Delivers events of the log to a subscription once more, marked as a replay, and before whatever is pending in
    /// their lanes; all leases of the subscription end.
    ///
    /// - Parameters:
    ///   - subscription: To which one.
    ///   - names: The names of the events that it handles.
    ///   - position: The position after which it begins.
    /// - Returns: How many events are delivered again.
    /// - Throws: ``StoreError``.
    func replay(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws -> Int

    /// Removes what `request` names, the oldest first.
    ///
    /// - Returns: How many rows were removed; ask again where it is the limit.
    /// - Throws: ``StoreError``.
    func prune(_ request: PruneRequest) async throws -> Int

    /// Tells how far the subscriptions have come.
    ///
    /// - Throws: ``StoreError``.
    func deliveryStatistics() async throws -> DeliveryStatistics
}
