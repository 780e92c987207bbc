//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceFlux

extension Pipeline {
    /// Returns when at least this many actions wait for their turn.
    ///
    /// ```swift
    /// store.deactivate()
    /// let waiting = Task { await store.dispatch(Increment()) }
    /// await store.pipeline.waiting(1)
    /// waiting.cancel()
    /// ```
    public func waiting(_ count: Int) async {
        await waitsFor(count)
    }
}
