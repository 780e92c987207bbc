// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import HeadraceCore
import Synchronization

/// A factory of metrics whose gauges let a test wait for their values.
///
/// All other metrics are dropped.
final class WatchedGauge: MetricsFactory {
    private struct State {
        var values: [Double] = []
        var waiting: [(count: Int, arrival: OneShot<Void>)] = []
    }

    private let state = Mutex(State())

    /// The recorded values.
    var values: [Double] { state.withLock(\.values) }

    /// Returns when `count` values were recorded.
    func waitForValues(_ count: Int) async {
        let arrival = OneShot<Void>()
        state.withLock { state in
            if state.values.count >= count { arrival.set(()) } else { state.waiting.append((count, arrival)) }
        }
        try? await arrival.wait()
    }

    private func record(_ value: Double) {
        state.withLock { state in
            state.values.append(value)
            for waiting in state.waiting where waiting.count <= state.values.count { waiting.arrival.set(()) }
        }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Handler(gauge: self)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        NOOPMetricsHandler.instance
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: RecorderHandler {
        private let gauge: WatchedGauge

        init(gauge: WatchedGauge) {
            self.gauge = gauge
        }

        func record(_ value: Int64) { gauge.record(Double(value)) }
        func record(_ value: Double) { gauge.record(value) }
    }
}
