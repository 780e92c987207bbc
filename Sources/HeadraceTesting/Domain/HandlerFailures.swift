// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// The deliveries whose last attempt has failed.
final class HandlerFailures: RelayObserver {
    private struct Key: Hashable {
        let subscription: String
        let position: Int64

        init(_ delivery: Delivery) {
            subscription = delivery.subscription
            position = delivery.position
        }
    }

    private let reasons = Mutex<[Key: String]>([:])

    func delivered(_ delivery: Delivery) {
        reasons.withLock { $0[Key(delivery)] = nil }
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        note(delivery, "\(error)")
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        note(delivery, reason)
    }

    private func note(_ delivery: Delivery, _ reason: String) {
        let name = delivery.content.message?.name ?? "a message"
        reasons.withLock { $0[Key(delivery)] = "'\(name)' for '\(delivery.subscription)': \(reason)" }
    }

    /// Forgets the failures, and throws an error with their reasons if there are any.
    ///
    /// - Throws: ``HeadraceRelay/RelayError`` with the code `handlerFailed`.
    func check() throws {
        let taken = reasons.withLock { reasons in
            defer { reasons.removeAll() }
            return reasons.values.sorted()
        }
        if !taken.isEmpty { throw RelayError.handlersFailed(taken) }
    }
}
