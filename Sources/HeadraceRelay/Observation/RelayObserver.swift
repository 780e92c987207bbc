// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceStorage

/// Is notified of the outcome of deliveries, for example for an inspector or metrics.
///
/// An observer must not change anything and must return quickly, because it is called in the task that delivers. Each
/// method does nothing by default.
public protocol RelayObserver: Sendable {
    /// A handler has handled `delivery`.
    func delivered(_ delivery: Delivery)

    /// A handler has failed; the relay retries `delivery` at `date`.
    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date)

    /// `delivery` has become a dead letter.
    func deadLettered(_ delivery: Delivery, reason: String)

    /// The relay doesn't know the message of `delivery`, and has left it to a relay that does.
    ///
    /// At `until`, the message becomes a dead letter.
    func left(_ delivery: Delivery, reason: String, until: Date)

    /// `lease` is no longer valid: another relay has taken over its lane, or the lane was cancelled or replayed.
    ///
    /// Changes under the lease that were not stored before were refused.
    func leaseLost(_ lease: Lease)

    /// The store failed; the relay continues.
    func storeFailed(_ error: any Error)
}

extension RelayObserver {
    /// Does nothing.
    public func delivered(_ delivery: Delivery) {}

    /// Does nothing.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {}

    /// Does nothing.
    public func deadLettered(_ delivery: Delivery, reason: String) {}

    /// Does nothing.
    public func left(_ delivery: Delivery, reason: String, until: Date) {}

    /// Does nothing.
    public func leaseLost(_ lease: Lease) {}

    /// Does nothing.
    public func storeFailed(_ error: any Error) {}
}
