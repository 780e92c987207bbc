// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting

/// Records the actions of handlers and the outcomes of deliveries, and lets a test wait for them.
final class DeliveryJournal: RelayObserver {
    private let entries = ConditionVariable<[String]>([])

    /// The entries, in order.
    var all: [String] { entries.value }

    /// Adds an entry.
    func note(_ entry: String) {
        entries.change { $0.append(entry) }
    }

    /// Waits until `count` entries begin with `prefix`.
    func wait(for count: Int = 1, _ prefix: String) async {
        await entries.wait { $0.count { $0.hasPrefix(prefix) } >= count }
    }

    func delivered(_ delivery: Delivery) {
        note("delivered to \(delivery.subscription)")
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        note("failed in \(delivery.subscription)")
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        note("dead letter of \(delivery.subscription)")
    }
}

extension Relay.Configuration {
    /// A configuration whose leases don't expire on a busy machine, so that no delivery is repeated.
    static var withLongLeases: Relay.Configuration {
        var configuration = Relay.Configuration()
        configuration.leaseDuration = .seconds(600)
        return configuration
    }
}

/// A clock that the test advances, with dates that advance together with it.
struct VirtualTime: Sendable {
    let clock = TestClock()
    private let startDate = Date()
    private let start: ContinuousClock.Instant

    init() {
        start = clock.now
    }

    /// Returns the current date.
    var date: @Sendable () -> Date {
        { startDate.addingTimeInterval(start.duration(to: clock.now) / .seconds(1)) }
    }
}

/// Runs `body` with the path of a new folder, and removes the folder afterwards.
nonisolated(nonsending) func withStoreFolder(
    _ body: nonisolated(nonsending) (_ folder: String) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path(percentEncoded: false))
}
