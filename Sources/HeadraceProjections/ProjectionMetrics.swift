// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Foundation
public import HeadraceCore
import HeadraceRelay
import Logging
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Emits metrics about the lag of projections.
///
/// ```swift
/// let projections = Projections(customerTotals, on: store, delegator: registrar)
/// let metrics = ProjectionMetrics(projections)
/// ```
///
/// With the trait `Lifecycle`, it is a service of swift-service-lifecycle. While ``run()`` runs, it reads the status of the
/// declared projections at each interval, and sets these gauges by `projection`:
///
/// - `headrace.projection.pending`, the number of positions in the log that were not applied;
/// - `headrace.projection.lag`, the age of the oldest event that was not applied, in seconds;
/// - `headrace.projection.ready`, which is 1 if queries can read the declared version, and 0 while it is built or removed;
/// - `headrace.projection.stopped`, which is 1 if this process can't apply the next event, and 0 otherwise.
///
/// The number of distinct labels is the number of projections.
public final class ProjectionMetrics: Sendable {
    private struct Gauges {
        let pending: Gauge
        let lag: Gauge
        let ready: Gauge
        let stopped: Gauge
    }

    private let projections: Projections
    private let interval: Duration
    private let factory: any MetricsFactory
    private let clock: any TimeSource
    private let wallClock: @Sendable () -> Date
    private let gauges = Mutex<[String: Gauges]>([:])

    /// Creates metrics about `projections`.
    ///
    /// - Parameters:
    ///   - projections: The projections.
    ///   - interval: The time between two readings of the status. A reading counts the rows of all waiting deliveries.
    ///   - factory: The factory that creates the metrics. Bootstrap the metrics system before you use the default.
    ///   - clock: The clock that the interval is measured on.
    ///   - wallClock: Returns the current time, for the age of events.
    public init(
        _ projections: Projections,
        interval: Duration = .seconds(15),
        factory: any MetricsFactory = MetricsSystem.factory,
        clock: any TimeSource = CurrentClock(),
        wallClock: @escaping @Sendable () -> Date = { SystemValues.current.date() }
    ) {
        self.projections = projections
        self.interval = interval
        self.factory = factory
        self.clock = clock
        self.wallClock = wallClock
    }

    /// Sets the gauges at once and then at each interval, until the task is cancelled or the service group shuts down.
    ///
    /// If the store can't be read, the gauges keep their values, and a warning is logged.
    public func run() async {
        await StatusReader(interval: interval, clock: clock).run {
            self.set(try await self.projections.status())
        } onFailure: { error in
            Logger.current.warning("The status of projections can't be read", metadata: ["error": "\(error)"])
        }
    }

    private func set(_ statuses: [ProjectionStatus]) {
        let now = wallClock()
        for status in statuses where status.isDeclared {
            let gauges = gauges(of: status.name)
            gauges.pending.record(status.pendingCount)
            gauges.lag.record(status.lag(at: now) / .seconds(1))
            gauges.ready.record(status.isReady ? 1 : 0)
            gauges.stopped.record(status.failure == nil ? 0 : 1)
        }
    }

    private func gauges(of name: String) -> Gauges {
        gauges.withLock { gauges in
            if let known = gauges[name] { return known }
            func gauge(_ label: String) -> Gauge {
                Gauge(label: "headrace.projection.\(label)", dimensions: [("projection", name)], factory: factory)
            }
            let new = Gauges(
                pending: gauge("pending"),
                lag: gauge("lag"),
                ready: gauge("ready"),
                stopped: gauge("stopped")
            )
            gauges[name] = new
            return new
        }
    }
}

#if Lifecycle
extension ProjectionMetrics: Service {}
#endif
