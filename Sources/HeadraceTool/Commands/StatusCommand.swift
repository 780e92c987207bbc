// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceStorage

/// Shows the progress of all subscriptions.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows pending deliveries and dead letters of each subscription (the default)."
    )

    @OptionGroup var store: StoreOption

    func run() async throws {
        try await store.run { StatusReport(try await $0.store.deliveryStatistics()) }
    }
}

/// The progress of all subscriptions.
struct StatusReport: Report {
    struct Subscription: Encodable {
        let name: String
        let pending: Int
        let oldestPending: Date?
        let deadLetters: Int
        let pausedSince: Date?
    }

    let lastPosition: Int64
    let pending: Int
    let deadLetters: Int
    let subscriptions: [Subscription]

    init(_ statistics: DeliveryStatistics) {
        lastPosition = statistics.lastPosition
        pending = statistics.pendingCount
        deadLetters = statistics.deadLetterCount
        subscriptions = statistics.subscriptions.map {
            Subscription(
                name: $0.name,
                pending: $0.pendingCount,
                oldestPending: $0.oldestPending,
                deadLetters: $0.deadLetterCount,
                pausedSince: $0.pausedSince
            )
        }
    }

    var lines: [String] {
        ["position of the last event: \(lastPosition)"]
            + subscriptions.map { each in
                let oldest = each.oldestPending.map { ", the oldest of \($0.text)" } ?? ""
                let letters = each.deadLetters == 1 ? "1 dead letter" : "\(each.deadLetters) dead letters"
                let paused = each.pausedSince.map { ", paused since \($0.text)" } ?? ""
                return "\(each.name): \(each.pending) pending\(oldest), \(letters)\(paused)"
            }
    }
}
#endif
