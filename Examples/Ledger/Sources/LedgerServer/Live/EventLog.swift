//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Logging

/// The log of events as it grows, page by page.
struct EventLog: Sendable {
    /// Some events, one at least.
    struct Page: Sendable {
        let events: [EventRecord]
        let last: Int64
    }

    private static let pageSize = 512

    let store: any DeliveryStore

    /// How often it is looked for what other processes have committed.
    let pollInterval: Duration
    let clock: any TimeSource

    /// The position of the last event there is.
    func lastPosition() async throws -> Int64 {
        try await store.deliveryStatistics().lastPosition
    }

    /// Gives the events after `position`, and waits for one where there is none.
    ///
    /// What this process commits is noticed at once. Where the store cannot be read for a while, it waits.
    ///
    /// - Returns: The page; `nil` where the task is cancelled.
    func nextPage(after position: Int64) async -> Page? {
        while !Task.isCancelled {
            let signal = store.deliverySignal.position
            do {
                let events = try await store.events(after: position, limit: Self.pageSize)
                if let last = events.last { return Page(events: events, last: last.position) }
            } catch is CancellationError {
                return nil
            } catch {
                Logger.current.warning("The log of events cannot be read.", metadata: ["error": "\(error)"])
                try? await clock.sleep(until: clock.now.advanced(by: pollInterval), tolerance: nil)
                continue
            }
            await wait(for: signal)
        }
        return nil
    }

    /// Returns when this process has committed something since `signal`, or it is time to look for others.
    private func wait(for signal: UInt64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await store.deliverySignal.wait(after: signal) }
            group.addTask { try? await clock.sleep(until: clock.now.advanced(by: pollInterval), tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
    }
}
