//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// What a modifier wants done by a store that is still to come.
@MainActor
protocol Pending: AnyObject {}

/// What a modifier wants done by a store for a model of this type.
@MainActor
final class PendingHandler<Model: Sendable>: Pending {
    enum Purpose {
        case mutate(any Action.Type, @MainActor (ModelBox<Model>, PlanSite) -> any Handler)
        case observe(@MainActor (ModelBox<Model>, PlanSite) -> any Hook)
        case bootstrap(@MainActor (ModelBox<Model>, PlanSite) -> BootstrapHandler)

        var actionType: (any Action.Type)? {
            if case .mutate(let type, _) = self { type } else { nil }
        }
    }

    let purpose: Purpose

    /// Whether there was a store.
    var isReached = false

    init(_ purpose: Purpose) {
        self.purpose = purpose
    }
}
