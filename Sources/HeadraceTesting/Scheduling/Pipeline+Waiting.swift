// SPDX-License-Identifier: Apache-2.0

public import HeadraceFlux

extension Pipeline {
    /// Returns when the pipeline has at least `count` queued actions.
    ///
    /// ```swift
    /// store.deactivate()
    /// let waiting = Task { await store.dispatch(Increment()) }
    /// await store.pipeline.waitForQueuedActions(1)
    /// waiting.cancel()
    /// ```
    public func waitForQueuedActions(_ count: Int) async {
        await waitsFor(count)
    }
}
