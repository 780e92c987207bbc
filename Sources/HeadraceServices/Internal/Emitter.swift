//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Where actions come from, and whom they are for.
struct Emitter: Sendable {
    /// Gives each action of the sequence to its argument, until that wants no more or the sequence ends.
    typealias Pump = @Sendable (_ take: @Sendable (any Action) async throws -> Bool) async throws -> Void

    let pump: Pump
    let isConsumedFirst: Bool
    let path: PlanPath?

    /// What the services under the emitter do with actions, with the hooks and error transforms around it.
    let index: PlanIndex

    /// The error transforms above it, the nearest last, for an error of the sequence.
    let transforms: [ErrorTransform]

    /// Has the services handle `action`.
    func handle(_ action: any Action, by core: ClusterCore) async throws {
        func send(_ action: some Action) async throws {
            try await core.send(action, from: SendFrame(), through: index)
        }
        try await send(action)
    }

    /// Hands an error of the sequence to the error transforms, the nearest first.
    ///
    /// - Throws: What is left.
    func transform(_ error: any Error) async throws {
        var left = error
        for transform in transforms.reversed() {
            do {
                return try await transform.apply(to: left, SendFrame())
            } catch {
                left = error
            }
        }
        throw Failures.reported(left)
    }
}
