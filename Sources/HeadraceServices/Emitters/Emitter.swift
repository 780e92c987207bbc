// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// An `emit` modifier: a source of actions, and the services under it.
struct Emitter: Sendable {
    /// Passes each action of the sequence to `take`, until `take` returns false or the sequence ends.
    typealias Pump = @Sendable (_ take: @Sendable (any Action) async throws -> Bool) async throws -> Void

    let pump: Pump
    let isConsumedFirst: Bool
    let path: TreePath?

    /// The routes through the services under the emitter, with the interceptors and error transforms around it.
    let table: RoutingTable

    /// The error transforms around the emitter, the nearest last, for an error of the sequence.
    let transforms: [ErrorTransform]

    /// Passes `action` to the services under the emitter.
    func handle(_ action: any Action, by core: ClusterCore) async throws {
        func send(_ action: some Action) async throws {
            try await core.send(action, from: SendFrame(), through: table)
        }
        try await send(action)
    }

    /// Passes an error of the sequence to the error transforms, the nearest first.
    ///
    /// - Throws: The error that remains.
    func transform(_ error: any Error) async throws {
        var left = error
        for transform in transforms.reversed() {
            do {
                return try await transform.apply(to: left, SendFrame())
            } catch {
                left = error
            }
        }
        throw CollectedFailures.reported(left)
    }
}
