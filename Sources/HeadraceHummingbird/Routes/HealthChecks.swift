// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Foundation
public import HeadraceProjections
import HTTPTypes
public import HeadraceCore
public import HeadraceRelay
public import HeadraceStorage
public import Hummingbird

/// The checks of a server that can take requests.
///
/// ```swift
/// router.health(HealthChecks(store: store, relay: relay))
/// ```
///
/// The server is ready if the store answers in time, if the relay runs, and if the oldest pending event is younger than
/// the largest lag.
public struct HealthChecks: Sendable {
    /// The result of a check.
    public struct Result: Sendable, Hashable, Codable {
        /// The name of the check: `store`, `relay`, `lag`, `projections`, or the name of your own check.
        public let name: String

        /// Whether the check has succeeded.
        public let isReady: Bool

        /// Creates a result.
        public init(name: String, isReady: Bool) {
            self.name = name
            self.isReady = isReady
        }

        private enum CodingKeys: String, CodingKey {
            case name
            case isReady = "ready"
        }
    }

    /// The store; `nil` to leave it out.
    public var store: (any DeliveryStore)?

    /// The relay; `nil` to leave it out.
    public var relay: Relay?

    /// The projections; `nil` to leave them out.
    ///
    /// The check `projections` succeeds if they run, each declared projection has applied the whole log once, and the oldest event
    /// that was not applied is younger than ``largestLag``.
    public var projections: Projections?

    /// Maximum age of the oldest pending event; 5 minutes by default, `nil` for no limit.
    ///
    /// Deliveries that are scheduled for later and deliveries of paused subscriptions don't count.
    public var largestLag: Duration? = .seconds(300)

    /// Time in which the store must answer; 2 seconds by default.
    public var storeTime: Duration = .seconds(2)

    /// Further checks by name, in the order of their names.
    public var others: [String: @Sendable () async -> Bool] = [:]

    private let clock: any TimeSource
    private let wallClock: @Sendable () -> Date

    /// Creates the checks of a store and a relay.
    public init(
        store: (any DeliveryStore)? = nil,
        relay: Relay? = nil,
        clock: any TimeSource = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.relay = relay
        self.clock = clock
        self.wallClock = wallClock
    }

    /// Runs all checks.
    public func run() async -> [Result] {
        var results: [Result] = []
        if let store {
            let statistics = await statistics(of: store)
            results.append(Result(name: "store", isReady: statistics != nil))
            if let largestLag, let statistics {
                let running = statistics.subscriptions.filter { $0.pausedSince == nil }
                let oldest = running.compactMap(\.oldestPending).min()
                let lag = oldest.map { wallClock().timeIntervalSince($0) } ?? 0
                results.append(Result(name: "lag", isReady: .seconds(lag) <= largestLag))
            }
        }
        if let relay { results.append(Result(name: "relay", isReady: relay.isRunning)) }
        if let projections {
            results.append(Result(name: "projections", isReady: await isReady(projections)))
        }
        for (name, check) in others.sorted(by: { $0.key < $1.key }) {
            results.append(Result(name: name, isReady: await check()))
        }
        return results
    }

    private func isReady(_ projections: Projections) async -> Bool {
        guard projections.isRunning, let statuses = try? await projections.status() else { return false }
        let now = wallClock()
        return statuses.filter(\.isDeclared).allSatisfy { status in
            status.isReady && largestLag.map { status.lag(at: now) <= $0 } ?? true
        }
    }

    /// Returns the statistics of the store; `nil` if it doesn't answer in time.
    private func statistics(of store: any DeliveryStore) async -> DeliveryStatistics? {
        await withTaskGroup(of: DeliveryStatistics?.self) { group in
            group.addTask { try? await store.deliveryStatistics() }
            group.addTask {
                try? await clock.sleep(until: clock.now.advanced(by: storeTime), tolerance: nil)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

extension RouterMethods {
    /// Adds the routes `live` and `ready` below `path`, for load balancers and orchestrators.
    ///
    /// `live` responds with the status 200 as long as the server answers. `ready` responds with 200 if all checks succeed,
    /// else with 503. The body has the result of each check, and no more.
    ///
    /// - Parameters:
    ///   - checks: The checks of `ready`.
    ///   - path: The path below which the routes are.
    public func health(_ checks: HealthChecks, at path: RouterPath = "health") {
        let group = group(path)
        group.get("live") { _, _ in try HealthReport(checks: []).response }
        group.get("ready") { _, _ in try HealthReport(checks: await checks.run()).response }
    }
}

/// The body of a response about health.
private struct HealthReport: Encodable {
    let status: String
    let checks: [HealthChecks.Result]

    init(checks: [HealthChecks.Result]) {
        self.checks = checks
        status = checks.allSatisfy(\.isReady) ? "ok" : "unavailable"
    }

    var response: Response {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Response(
                status: status == "ok" ? .ok : .serviceUnavailable,
                headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(self)))
            )
        }
    }
}
#endif
