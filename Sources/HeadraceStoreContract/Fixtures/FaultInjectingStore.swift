// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import Synchronization

/// The store of one process that can be killed.
///
/// After that, the process can't write.
final class FaultInjectingStore: StoreDecorator {
    let base: any DeliveryStore
    private let isKilled = Mutex(false)

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Ends the process.
    func kill() {
        isKilled.withLock { $0 = true }
    }

    private func live() throws {
        if isKilled.withLock(\.self) { throw StoreError(code: .unusable, message: "The process was killed.") }
    }

    func commit(_ changes: ChangeSet) async throws {
        try live()
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try live()
        return try await base.lease(request)
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try live()
        return try await base.settle(settlements)
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try live()
        return try await base.renew(leases, until: date)
    }
}
