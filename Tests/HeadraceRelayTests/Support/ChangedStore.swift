//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

/// A store that another version of the program has changed.
final class ChangedStore: StoreDecorator {
    let base: any DeliveryStore

    /// Whether leasing works, so that the change comes after a lease.
    private let leases: Bool

    private let change = StoreError(code: .schemaChanged, message: "To fix, restart.")

    init(_ base: any DeliveryStore, afterTheLease leases: Bool = false) {
        self.base = base
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
