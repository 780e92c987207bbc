//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HeadraceStorage

/// Is told what becomes of deliveries; an inspector and metrics are observers.
///
/// It changes nothing and must not take long: it is called in the task that delivers. Each method does nothing unless
/// implemented.
public protocol RelayObserver: Sendable {
    /// A handler has handled `delivery`.
    func delivered(_ delivery: Delivery)

    /// A handler has failed; `delivery` will be made again at `date`.
    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date)

    /// `delivery` was given up, and is a dead letter.
    func deadLettered(_ delivery: Delivery, reason: String)

    /// The relay doesn't know the message of `delivery`, and has left it to a relay that does; at `until` it becomes a dead
    /// letter.
    func left(_ delivery: Delivery, reason: String, until: Date)

    /// `lease` has gone to somebody else, or its lane was cancelled or replayed: what was done under it and not stored
    /// by then was refused.
    func leaseLost(_ lease: Lease)

    /// The store could not be reached; the relay goes on.
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
