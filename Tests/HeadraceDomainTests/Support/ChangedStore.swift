//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceDomain

/// A store that another version of the program has changed.
final class ChangedStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        throw StoreError(code: .schemaChanged, message: "To fix, restart.")
    }
}
