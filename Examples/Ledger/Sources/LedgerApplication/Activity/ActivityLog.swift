// SPDX-License-Identifier: Apache-2.0

public import Headrace
import Synchronization

/// Counts the stored events since the program started.
public final class ActivityLog: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Creates a log without events.
    public init() {}

    /// Counts an event.
    public func record<Event: DurableDomainEvent>(_ event: Event) {
        counts.withLock { $0[Event.eventName, default: 0] += 1 }
    }

    /// The number of events, by name.
    public var events: [String: Int] { counts.withLock(\.self) }
}
