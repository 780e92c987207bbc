//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// One effect that is under way, as those know it who may cancel it, from any thread.
final class EffectRun: Sendable {
    private static let cancelled: UInt8 = 1
    private static let over: UInt8 = 2

    private let state = Atomic<UInt8>(0)
    private let attachments = Mutex(Attachments())

    private struct Attachments {
        var task: Task<Void, Never>?

        /// What remote pours have still to deliver when the effect ends.
        var deliveries: [@Sendable () -> Void] = []
    }

    /// Whether it is to run no line more than it has to.
    var isCancelled: Bool { state.load(ordering: .acquiring) & Self.cancelled != 0 }

    /// Whether what it pours is reduced: it was not cancelled, and has not ended.
    var mayPour: Bool { state.load(ordering: .acquiring) == 0 }

    /// Takes the task that carries it out.
    ///
    /// Thread A cancels and thread B attaches: either A finds the task under the lock, or B finds the mark, which A has
    /// made before it took the lock.
    func attach(_ task: Task<Void, Never>) {
        attachments.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        _ = state.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing)
        attachments.withLock { $0.task }?.cancel()
    }

    /// Notes that it has ended, and lets go of the task.
    func end() {
        _ = state.bitwiseOr(Self.over, ordering: .acquiringAndReleasing)
        attachments.withLock { $0 = Attachments() }
    }

    /// Has `delivery` done before the effect ends, on the actor of the station.
    func deliverAtTheEnd(_ delivery: @escaping @Sendable () -> Void) {
        attachments.withLock { $0.deliveries.append(delivery) }
    }

    /// Does what is to be done before the effect ends.
    func deliverTheRest() {
        for delivery in attachments.withLock(\.deliveries) { delivery() }
    }
}
