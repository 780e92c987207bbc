// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import Logging

/// Reads the event log of the store, page by page, as it grows.
struct EventLog: Sendable {
    /// Events of the log, at least one.
    struct Page: Sendable {
        let events: [EventRecord]
        let last: Int64
    }

    private static let pageSize = 512

    let store: any DeliveryStore

    /// Interval between two checks for the commits of other processes.
    let pollInterval: Duration
    let clock: any TimeSource

    /// The position of the last event; 0 if there is none.
    func lastPosition() async throws -> Int64 {
        try await store.deliveryStatistics().lastPosition
    }

    /// Returns the events after `position`.
    ///
    /// If there are none, waits for the next event.
    ///
    /// It notices the commits of this process at once. If the store can't be read, it tries again after
    /// ``pollInterval``.
    ///
    /// - Returns: The page; `nil` if the task is cancelled.
    func nextPage(after position: Int64) async -> Page? {
        while !Task.isCancelled {
            let signal = store.deliverySignal.position
            do {
                let events = try await store.events(after: position, limit: Self.pageSize)
                if let last = events.last { return Page(events: events, last: last.position) }
            } catch is CancellationError {
                return nil
            } catch {
                Logger.current.warning(
                    "The event log can't be read. It is read again later.", metadata: ["error": "\(error)"])
                try? await clock.sleep(until: clock.now.advanced(by: pollInterval), tolerance: nil)
                continue
            }
            await wait(for: signal)
        }
        return nil
    }

    /// Returns when this process has committed since `signal`, or after ``pollInterval``.
    private func wait(for signal: UInt64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await store.deliverySignal.wait(after: signal) }
            group.addTask { try? await clock.sleep(until: clock.now.advanced(by: pollInterval), tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
    }
}
