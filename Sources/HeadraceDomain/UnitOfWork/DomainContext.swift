//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a unit of work happens: it knows which entities were touched, and makes their changes permanent.
///
/// ``EntityContext`` is the one to use. Conform another kind of session to it (an object graph of a
/// framework, say) to run units of work on that.
public protocol DomainContext: AnyObject {
    /// Takes the events that touched entities have raised since they were last taken, in the order raised.
    ///
    /// An entity is touched that was found, fetched, inserted, changed or deleted since the last commit or
    /// roll-back. A context that can list those answers with ``CollectedEvent/take(from:)``.
    func takeEvents() -> [CollectedEvent]

    /// Tells which contexts belong together: a unit of work within another one on the same identity joins it.
    var joinIdentity: ObjectIdentifier { get }

    /// Whether ``commit(_:)`` stores to which subscriptions events are to be delivered; `false` unless stated.
    ///
    /// Where it does not, their handlers run in process, like those without a subscription.
    var storesDeliveries: Bool { get }

    /// Makes all changes permanent, and stores those of `events` that are durable with them, or does neither.
    ///
    /// - Throws: Whatever keeps the changes from being stored. ``rollback()`` is called next.
    nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws

    /// Forgets all changes that were not committed.
    func rollback()
}

extension DomainContext {
    /// The context itself: only units of work on this very context join.
    public var joinIdentity: ObjectIdentifier { ObjectIdentifier(self) }

    /// It does not.
    public var storesDeliveries: Bool { false }
}
