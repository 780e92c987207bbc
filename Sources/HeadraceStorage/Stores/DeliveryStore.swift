// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
import Synchronization

/// A store that also keeps deliveries: the outbox of durable events and scheduled messages, with attempts and leases.
///
/// A `Relay` works on a delivery store. ``InMemoryStore`` and the SQLite store conform. Run the contract suite of
/// `HeadraceStoreContract` on your own store: it checks all requirements.
///
/// The caller passes the current time. The clocks of several processes may differ. A difference can repeat an attempt,
/// but it never weakens the fencing, which doesn't depend on a clock. A store on a server can offer the server's time as
/// ``wallClock``.
public protocol DeliveryStore: EntityStore {
    /// Notifies relays when a commit of this store has created deliveries, or may have.
    var deliverySignal: DeliverySignal { get }

    /// Returns the time that all processes on the store agree on; `nil` if the store has no clock, which is the default.
    ///
    /// A relay uses this clock unless its initializer receives another.
    var wallClock: (@Sendable () -> Date)? { get }

    /// Leases due lanes.
    ///
    /// A lane is due if no valid lease of it exists and its first delivery need not wait.
    ///
    /// The end of a lease and the time of a retry come from the clock of the relay that set them. If that clock was
    /// ahead of `request.now` by more than `request.duration`, the wait restarts at `request.now`. So a wrong clock
    /// can't block a lane for longer than the requested wait. The dates of scheduled messages stay.
    ///
    /// A lease counts no attempt. The store remembers the last delivery of a lane that was leased. If the lease ends
    /// without a settlement that removes or releases those deliveries, the next lease says that their handlers may have
    /// run.
    ///
    /// A lane of a paused subscription isn't due. ``LeasedDeliveries/paused`` names the paused subscriptions of the request.
    ///
    /// - Throws: ``StoreError``, with the code `invalidDate` if `request.now` is before 1970.
    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries

    /// Applies `settlements` in order, each wholly or not at all.
    ///
    /// Returns once the settlements survive the end of the process. A power failure, or a crash of a server, may lose the last
    /// ones. So the store also refuses a settlement if its lane has a delivery before ``Settlement/firstPosition``. The lease
    /// stays valid: the relay ends it with another settlement when its handler has ended, and then the lane begins at its first
    /// delivery again.
    ///
    /// Cancellation of the task doesn't stop it.
    ///
    /// - Returns: The leases whose settlements were refused and not applied.
    /// - Throws: ``StoreError``; then no settlement was applied.
    func settle(_ settlements: [Settlement]) async throws -> [Lease]

    /// Extends `leases` until `date`.
    ///
    /// A store on a server returns once the new end survives a crash of the server: the relay relies on it without asking again.
    ///
    /// - Returns: The leases that are no longer valid.
    /// - Throws: ``StoreError``.
    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease]

    /// Returns the record of an idempotency key, or `nil`.
    ///
    /// - Throws: ``StoreError``.
    func idempotencyRecord(for key: String) async throws -> IdempotencyRecord?

    /// Returns a page of the deliveries that aren't completed.
    ///
    /// They are sorted by subscription, then by the time from which their lanes may be leased, then by lane and position. A
    /// delivery whose lane is leased or settled between two pages can be on both, or on none.
    ///
    /// - Throws: ``StoreError``.
    func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery]

    /// Makes deliveries due at `now` that wait for their next attempt, and notifies relays.
    ///
    /// Their attempts stay. Deliveries that are neither `retrying` nor `unknown` at `now` are skipped.
    ///
    /// - Returns: Number of deliveries that were changed.
    /// - Throws: ``StoreError``.
    func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int

    /// Moves deliveries to the dead letters, from where they can be replayed or discarded.
    ///
    /// Deliveries that are running at `now` are skipped. The next delivery of the stream is due at once. If a lease has ended
    /// without an outcome, a late settlement under it is refused.
    ///
    /// - Parameters:
    ///   - ids: The deliveries.
    ///   - reason: The reason of the dead letters.
    ///   - now: The time of the dead letters.
    /// - Returns: Number of deliveries that were moved.
    /// - Throws: ``StoreError``.
    func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int

    /// Returns at most `limit` dead letters with identifiers greater than `id`, in ascending order.
    ///
    /// - Parameters:
    ///   - id: The identifier of the last dead letter that the caller has seen; 0 for the start.
    ///   - subscription: The subscription of the dead letters, or `nil` for all subscriptions.
    ///   - limit: Maximum number of dead letters.
    /// - Returns: The dead letters.
    /// - Throws: ``StoreError``.
    func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter]

    /// Returns the dead letter `id`, or `nil` if it doesn't exist any longer.
    ///
    /// - Throws: ``StoreError``.
    func deadLetter(_ id: Int64) async throws -> DeadLetter?

    /// Delivers dead letters again, starting with the first attempt, each in its own lane.
    ///
    /// - Returns: Number of dead letters that are delivered again.
    /// - Throws: ``StoreError``.
    func replayDeadLetters(_ ids: [Int64]) async throws -> Int

    /// Corrects the content of a dead letter, and delivers it again like ``replayDeadLetters(_:)``, in one transaction.
    ///
    /// Only this delivery has the corrected content. The event in the log stays, and other subscriptions, and replays after this
    /// delivery, receive it as it is. The identifier, name, version, position, and origin of the message stay. If the delivery fails again, the new
    /// dead letter has the corrected content.
    ///
    /// A dead letter never changes, and its identifier isn't used again. So of several callers that correct, replay, or discard one
    /// dead letter, exactly one succeeds.
    ///
    /// - Parameters:
    ///   - id: The identifier of the dead letter.
    ///   - json: The corrected content as JSON, in UTF-8. The store doesn't read it.
    /// - Returns: Whether the dead letter still existed; otherwise nothing was changed.
    /// - Throws: ``StoreError``.
    func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool

    /// Discards dead letters.
    ///
    /// - Returns: Number of discarded dead letters.
    /// - Throws: ``StoreError``.
    func discardDeadLetters(_ ids: [Int64]) async throws -> Int

    /// Delivers events of the log to a subscription again, marked as a replay.
    ///
    /// In each lane, they come before the pending deliveries. All leases of the subscription end. A store can take several
    /// transactions. Then it leases no delivery of the subscription until the replay is complete, and a replay whose process ends
    /// meanwhile is completed by later requests for leases of the subscription, or by its next replay.
    ///
    /// - Parameters:
    ///   - subscription: The name of the subscription.
    ///   - names: The names of the events that the subscription handles.
    ///   - position: The position after which the replay begins.
    /// - Returns: Number of events that are delivered again.
    /// - Throws: ``StoreError``.
    func replay(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws -> Int

    /// Pauses a subscription for all processes on the store, until ``resume(_:)``.
    ///
    /// Once this returns, no lease of the subscription is granted. Existing leases stay valid, so running handlers can settle
    /// their deliveries. All deliveries keep their order, their attempts, and the times of their retries. A subscription that is
    /// already paused keeps the time of its first pause.
    ///
    /// - Parameters:
    ///   - subscription: The name of the subscription.
    ///   - date: The time of the pause.
    /// - Returns: Whether the subscription exists. It exists from its first delivery on.
    /// - Throws: ``StoreError``.
    func pause(_ subscription: String, at date: Date) async throws -> Bool

    /// Ends the pause of a subscription, and notifies relays.
    ///
    /// Deliveries whose time has come during the pause are due at once.
    ///
    /// - Returns: Whether the subscription exists; it need not be paused.
    /// - Throws: ``StoreError``.
    func resume(_ subscription: String) async throws -> Bool

    /// Removes the rows that `request` selects, the oldest first.
    ///
    /// - Returns: Number of removed rows; call again if it equals the limit.
    /// - Throws: ``StoreError``.
    func prune(_ request: PruneRequest) async throws -> Int

    /// Returns the greatest position of an event that was pruned, or 0 if none ever was.
    ///
    /// It is stored in the transaction that removes the events. A reader of the log that finds a gap of positions after it lacks
    /// no event: a transaction that was rolled back can leave out positions.
    ///
    /// - Throws: ``StoreError``.
    func prunedPosition() async throws -> Int64

    /// Returns the progress of the subscriptions.
    ///
    /// - Throws: ``StoreError``.
    func deliveryStatistics() async throws -> DeliveryStatistics
}

extension DeliveryStore {
    /// No clock.
    public var wallClock: (@Sendable () -> Date)? { nil }
}

/// Notifies relays in this process that their store has committed new deliveries.
///
/// The signal carries no data and loses no notification: a waiter passes the last position that it has seen, and
/// returns at once if the signal has advanced since.
public final class DeliverySignal: Sendable {
    private struct State {
        var position: UInt64 = 0
        var waiters = WaiterQueue<Void, Void>()
    }

    private let state = Mutex(State())

    /// Creates a signal with the position 0.
    public init() {}

    /// Number of notifications so far.
    public var position: UInt64 { state.withLock { $0.position } }

    /// Resumes all waiters.
    public func notify() {
        let resumptions = state.withLock { state in
            state.position += 1
            return state.waiters.endAll(with: .success(()))
        }
        for resumption in resumptions { resumption.resume() }
    }

    /// Does the same as ``wait(after:)``, but ignores cancellation.
    package func waitRegardless(after position: UInt64) async {
        try? await request(after: position)?.valueRegardless()
    }

    /// Returns when a notification after `position` arrives, or at once if it has already arrived.
    ///
    /// - Throws: `CancellationError`.
    public func wait(after position: UInt64) async throws {
        try Task.checkCancellation()
        try await request(after: position)?.value()
    }

    private func request(after position: UInt64) -> Waiter<Void>? {
        state.withLock { $0.position > position ? nil : $0.waiters.append() }
    }
}

/// Decides when to look again for leases and retries that were written by a clock that is ahead.
///
/// The search reads all lanes that wait for longer than a lease, so it doesn't run with each request.
package final class ClockRepairTimer: Sendable {
    private let last = Mutex<Date?>(nil)

    package init() {}

    /// Whether the duration of a lease has passed since the last time, in either direction.
    package func isDue(_ request: LeaseRequest) -> Bool {
        last.withLock { last in
            let distance = last.map { abs(request.now.timeIntervalSince($0)) } ?? .infinity
            if distance < request.duration / .seconds(1) { return false }
            last = request.now
            return true
        }
    }
}
