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

    /// The scope of the delay and of the effect.
    private let scope: EffectScope

    /// The scope of the delay.
    private let delay: EffectScope

    /// Starts the effect; `nil` if it was started or dropped.
    private var start: (() -> Void)?

    init(due: ContinuousClock.Instant, scope: EffectScope, delay: EffectScope, start: @escaping () -> Void) {
        self.due = due
        self.scope = scope
        self.delay = delay
        self.start = start
    }

    var isCancelled: Bool { scope.isCancelled }

    /// Ends the delay, and starts the effect unless it was started or dropped.
    func begin() {
        guard let start else { return }
        self.start = nil
        delay.cancel()
        start()
    }

    /// Cancels the delay, and so drops the effect.
    func cancel() {
        scope.cancel()
    }

    /// Drops the effect.
    ///
    /// - Returns: Whether it was neither started nor dropped before.
    func drop() -> Bool {
        defer { start = nil }
        return start != nil
    }
}
