// SPDX-License-Identifier: Apache-2.0

import Foundation

extension InMemoryDeliveries {
    /// Returns the page of `request`.
    func pending(_ request: PendingDeliveryRequest, events: (Int64) -> EventRecord?) -> [PendingDelivery] {
        var page: [PendingDelivery] = []
        let bySubscription = Dictionary(grouping: lanes, by: \.value.subscription)
        for subscription in bySubscription.keys.sorted() {
            guard let start = request.start(in: subscription.text) else { continue }
            let sorted = (bySubscription[subscription] ?? []).sorted {
                ($0.value.readyAt, $0.key) < ($1.value.readyAt, $1.key)
            }
            for (id, lane) in sorted where (lane.readyAt, id) >= (start.0, start.1) {
                for (index, entry) in lane.entries.enumerated() where (lane.readyAt, id, entry.position) > start {
                    if page.count >= request.limit { return page }
                    let state = lane.state(of: entry, isFirst: index == 0, at: request.now.milliseconds)
                    if let wanted = request.state, wanted != state { continue }
                    page.append(
                        PendingDelivery(
                            id: PendingDelivery.ID(lane: id, position: entry.position),
                            state: state,
                            subscription: subscription.text,
                            attempts: index == 0 ? lane.attempts : 0,
                            readyAt: Date(milliseconds: lane.readyAt),
                            isReplay: entry.isReplay,
                            lastFailure: index == 0 ? lane.lastFailure : nil,
                            content: content(at: entry.position, correction: lane.correction, events: events)
                        )
                    )
                }
            }
        }
        return page
    }
}

extension InMemoryDeliveries.Lane {
    /// The state of an entry at `now`, in milliseconds since 1970.
    func state(of entry: InMemoryDeliveries.Entry, isFirst: Bool, at now: Int64) -> PendingDelivery.State {
        if readyAt > now, token > 0, entry.position <= begun { return .running }
        if !isFirst || readyAt <= now { return .waiting }
        if unknown != nil { return .unknown }
        return entry.position < 0 && token == 0 ? .scheduled : .retrying
    }
}
