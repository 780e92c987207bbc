// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A modifier of a store that hasn't been read yet.
@MainActor
protocol PendingModifier: AnyObject {}

/// A handler for a store of this model that hasn't been read yet.
@MainActor
final class PendingHandler<Model: Sendable>: PendingModifier {
    enum Purpose {
        case mutate(any Action.Type, @MainActor (ExclusiveModel<Model>, ServiceSite) -> any ActionHandler)
        case observe(@MainActor (ExclusiveModel<Model>, ServiceSite) -> any Interceptor)
        case bootstrap(@MainActor (ExclusiveModel<Model>, ServiceSite) -> BootstrapHandler)

        var actionType: (any Action.Type)? {
            if case .mutate(let type, _) = self { type } else { nil }
        }
    }

    let purpose: Purpose

    /// Whether a store has taken the handler.
    var isReached = false

    init(_ purpose: Purpose) {
        self.purpose = purpose
    }
}
