// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceStorage

/// The deliveries of a store as its commits, leases, and settlements have changed them, and the outcomes of handlers.
///
/// It doesn't ask the store, so it also finds mistakes of the store. Replayed dead letters and events have no order.
struct WatchedDeliveries: Sendable {
    private struct Queue: Hashable {
        let subscription: String
        let stream: EntityReference
    }

    /// A pending delivery of a queue.
    private struct Item {
        let position: Int64

        /// Whether a handler has handled it, or a relay has given it up.
        var isHandled = false
    }

    private struct Place: Hashable {
        let subscription: String
        let position: Int64
    }

    private struct Handled: Hashable {
        let lease: Lease
        let position: Int64
    }

    private struct Lane {
        let subscription: String
        let stream: EntityReference?
        let holder: String

        /// The token of the last lease; `nil` if a crash can have lost it.
        var token: Int64?
        var isLeased = true
    }

    /// The pending deliveries of each subscription and stream, sorted by position.
    private var queues: [Queue: [Item]] = [:]

    /// The pending deliveries without an order.
    private var others: Set<Place> = []
    private var deadLetters: Set<Place> = []
    private var lanes: [Int64: Lane] = [:]
    private var handled: Set<Handled> = []

    // MARK: Changes

    /// Notes the new deliveries of a commit whose events have `positions`.
    mutating func note(_ deliveries: [ChangeSet.NewDelivery], of events: [NewEvent], at positions: [Int64]) {
        for delivery in deliveries where positions.indices.contains(delivery.event) {
            let position = positions[delivery.event]
            deadLetters.remove(Place(subscription: delivery.subscription, position: position))
            insert(Item(position: position), subscription: delivery.subscription, stream: events[delivery.event].stream)
        }
    }

    private mutating func insert(_ item: Item, subscription: String, stream: EntityReference?) {
        guard let stream else {
            others.insert(Place(subscription: subscription, position: item.position))
            return
        }
        var items = queues[Queue(subscription: subscription, stream: stream)] ?? []
        let index = (items.lastIndex { $0.position <= item.position } ?? -1) + 1
        if index > 0, items[index - 1].position == item.position { return }
        items.insert(item, at: index)
        queues[Queue(subscription: subscription, stream: stream)] = items
    }

    /// Notes that `node` has leased the deliveries of a lane.
    ///
    /// - Returns: A violation.
    mutating func lease(_ deliveries: [Delivery], by node: String) -> String? {
        guard let first = deliveries.first else { return nil }
        let earlier = lanes[first.lease.lane]
        lanes[first.lease.lane] = Lane(
            subscription: first.subscription, stream: first.stream, holder: node, token: first.lease.token)
        for delivery in deliveries where delivery.position > 0 {
            let place = Place(subscription: delivery.subscription, position: delivery.position)
            if others.contains(place) { continue }
            // The test itself can have committed the event, or replayed the dead letter.
            if delivery.isReplay || deadLetters.contains(place) {
                others.insert(place)
            } else {
                insert(Item(position: delivery.position), subscription: place.subscription, stream: delivery.stream)
            }
        }
        guard let earlier, let token = earlier.token, first.lease.token <= token else { return nil }
        return """
            '\(node)' has leased \(Self.text(earlier.subscription, earlier.stream)) with the token \(first.lease.token), but \
            '\(earlier.holder)' had the token \(token).
            """
    }

    /// Notes that a handler of `node` has handled `delivery`.
    ///
    /// - Returns: A violation.
    mutating func handle(_ delivery: Delivery, by node: String) -> String? {
        handled.insert(Handled(lease: delivery.lease, position: delivery.position))
        return end(delivery).map { earlier in
            """
            '\(node)' has handled the event at position \(delivery.position) for \
            \(Self.text(delivery.subscription, delivery.stream)) before the event at position \(earlier).
            """
        }
    }

    /// Notes that a relay gives `delivery` up.
    mutating func giveUp(_ delivery: Delivery) {
        _ = end(delivery)
    }

    /// Notes that `delivery` has an outcome.
    ///
    /// - Returns: The position of an earlier delivery without an outcome.
    private mutating func end(_ delivery: Delivery) -> Int64? {
        guard let stream = delivery.stream else { return nil }
        let queue = Queue(subscription: delivery.subscription, stream: stream)
        guard let index = queues[queue]?.firstIndex(where: { $0.position == delivery.position }) else { return nil }
        queues[queue]?[index].isHandled = true
        return queues[queue]?[..<index].first { !$0.isHandled }?.position
    }

    /// Notes a settlement of `node` that the store has accepted.
    ///
    /// - Parameters:
    ///   - settlement: The settlement.
    ///   - node: The name of the node.
    ///   - isWatched: Whether ``handle(_:by:)`` is called for each handler of the node.
    ///   - isInCommit: Whether it belongs to the commit of the handler of the last acknowledged delivery.
    /// - Returns: A violation.
    mutating func settle(_ settlement: Settlement, by node: String, isWatched: Bool, isInCommit: Bool) -> String? {
        guard let lane = lanes[settlement.lease.lane] else { return nil }
        let subject = Self.text(lane.subscription, lane.stream)
        var violation: String?
        if let token = lane.token, token != settlement.lease.token {
            violation = """
                '\(node)' has settled \(subject) under a lease with the token \(settlement.lease.token), but '\(lane.holder)' has \
                a lease with the token \(token) since.
                """
        } else if lane.token != nil, !lane.isLeased {
            violation = "'\(node)' has settled \(subject) under a lease that has ended."
        }
        if isWatched {
            let unhandled = settlement.acknowledged.dropLast(isInCommit ? 1 : 0).first { position in
                isPending(position, in: lane)
                    && !handled.contains(Handled(lease: settlement.lease, position: position))
            }
            violation =
                violation
                ?? unhandled.map { position in
                    "'\(node)' has acknowledged the event at position \(position) for \(subject), which no handler has handled."
                }
        }
        for failure in settlement.failures {
            deadLetters.insert(Place(subscription: lane.subscription, position: failure.position))
        }
        let removed = Set(settlement.acknowledged + settlement.failures.map(\.position))
        let skipped = remove(removed, from: lane)
        violation =
            violation
            ?? skipped.map { skipped in
                """
                '\(node)' has acknowledged the event at position \(skipped.later) for \(subject), but the event at position \
                \(skipped.earlier) is pending.
                """
            }
        if settlement.end != nil { lanes[settlement.lease.lane]?.isLeased = false }
        return violation
    }

    private func isPending(_ position: Int64, in lane: Lane) -> Bool {
        if position < 0 || others.contains(Place(subscription: lane.subscription, position: position)) { return true }
        guard let stream = lane.stream else { return false }
        return queues[Queue(subscription: lane.subscription, stream: stream)]?.contains { $0.position == position }
            ?? false
    }

    /// Removes the deliveries at the positions `removed`.
    ///
    /// - Returns: The positions of a delivery that remains and of a removed delivery after it; `nil` if the order is right.
    private mutating func remove(_ removed: Set<Int64>, from lane: Lane) -> (earlier: Int64, later: Int64)? {
        for position in removed { others.remove(Place(subscription: lane.subscription, position: position)) }
        guard let stream = lane.stream else { return nil }
        let queue = Queue(subscription: lane.subscription, stream: stream)
        guard let items = queues[queue], let last = items.last(where: { removed.contains($0.position) }) else {
            return nil
        }
        let left = items.filter { !removed.contains($0.position) }
        queues[queue] = left.isEmpty ? nil : left
        guard let earlier = left.first, earlier.position < last.position else { return nil }
        return (earlier.position, last.position)
    }

    // MARK: Comparison

    /// Compares the pending deliveries with `contents`, and takes over what a crash or an operator has changed.
    ///
    /// - Returns: A violation.
    mutating func compare(with contents: InMemoryStore.Contents, afterCrash: Bool) -> String? {
        if afterCrash { for lane in lanes.keys { lanes[lane]?.token = nil } }
        let letters = Set(contents.deadLetters.map { Place(subscription: $0.subscription, position: $0.position) })
        deadLetters.formUnion(letters)
        let pending = contents.pendingEvents
        let places = Set(pending.map { Place(subscription: $0.subscription, position: $0.position) })
        let lost = dropAll(except: places, letters, contents)
        for event in pending {
            let place = Place(subscription: event.subscription, position: event.position)
            if others.contains(place) { continue }
            if event.isReplay || event.stream == nil || deadLetters.contains(place) {
                others.insert(place)
            } else {
                // It is new here if a crash has lost its settlement.
                insert(
                    Item(position: event.position, isHandled: true), subscription: event.subscription,
                    stream: event.stream)
            }
        }
        return lost.map { "The delivery of the event at position \($0.position) to '\($0.subscription)' is lost." }
    }

    /// Removes the deliveries that the store doesn't have.
    ///
    /// - Returns: The place of the first lost delivery.
    private mutating func dropAll(
        except places: Set<Place>, _ letters: Set<Place>, _ contents: InMemoryStore.Contents
    ) -> Place? {
        var lost: [Place] = []
        for (queue, items) in queues {
            let left = items.filter { item in
                let place = Place(subscription: queue.subscription, position: item.position)
                if places.contains(place) { return true }
                if !letters.contains(place), contents.event(at: item.position) != nil { lost.append(place) }
                return false
            }
            if left.count < items.count { queues[queue] = left.isEmpty ? nil : left }
        }
        others = others.filter(places.contains)
        return lost.min { ($0.position, $0.subscription) < ($1.position, $1.subscription) }
    }

    private static func text(_ subscription: String, _ stream: EntityReference?) -> String {
        "'\(subscription)'" + (stream.map { " of \($0)" } ?? "")
    }
}

extension Delivery {
    /// The entity whose order the delivery keeps.
    fileprivate var stream: EntityReference? {
        if case .event(let record) = content { record.event.stream } else { nil }
    }
}
#endif
