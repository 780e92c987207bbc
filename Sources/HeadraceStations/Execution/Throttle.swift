// SPDX-License-Identifier: Apache-2.0

/// The current interval of the throttled effects with one id.
struct Throttle {
    /// Time at which an effect has last begun, or at which an effect that waits has opened the interval.
    var lastBeginning: ContinuousClock.Instant

    /// The effect that begins at the end of the interval.
    var waiting: WaitingEffect?
}

/// A throttled effect that begins when it is due.
///
/// The task that waits may wake late. So the next throttled effect begins it if it arrives first.
final class WaitingEffect {
    /// Time at which the effect begins.
    let due: ContinuousClock.Instant

    /// The node of the delay and of the effect.
    private let node: EffectNode

    /// The node of the delay.
    private let delay: EffectNode

    /// Starts the effect; `nil` if it was started or dropped.
    private var start: (() -> Void)?

    init(due: ContinuousClock.Instant, node: EffectNode, delay: EffectNode, start: @escaping () -> Void) {
        self.due = due
        self.node = node
        self.delay = delay
        self.start = start
    }

    var isCancelled: Bool { node.isCancelled }

    /// Ends the delay, and starts the effect unless it was started or dropped.
    func begin() {
        guard let start else { return }
        self.start = nil
        delay.cancel()
        start()
    }

    /// Cancels the delay, and so drops the effect.
    func cancel() {
        node.cancel()
    }

    /// Drops the effect.
    ///
    /// - Returns: Whether it was neither started nor dropped before.
    func drop() -> Bool {
        defer { start = nil }
        return start != nil
    }
}
