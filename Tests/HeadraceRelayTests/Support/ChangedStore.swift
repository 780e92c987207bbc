// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// A store that can't be used any longer, because another version of the program has changed it or for another reason.
final class ChangedStore: StoreDecorator {
    let base: any DeliveryStore

    /// Whether leasing works, so that the change comes after a lease.
    private let leases: Bool

    private let change: StoreError

    init(_ base: any DeliveryStore, code: StoreError.Code = .schemaChanged, afterTheLease leases: Bool = false) {
        self.base = base
        change = StoreError(code: code, message: "To fix, restart.")
        self.leases = leases
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        if !leases { throw change }
        return try await base.lease(request)
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        throw change
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        throw change
    }
}

/// A store that another version of the program has changed; only the settlements of handled deliveries still reach it.
final class LockedOutStore: StoreDecorator {
    let base: any DeliveryStore
    let change = StoreError(code: .schemaChanged, message: "To fix, restart.")

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func deliveryStatistics() async throws -> DeliveryStatistics {
        throw change
    }
}
