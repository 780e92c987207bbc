//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// Watches every action that comes to the services under it, once they have handled it, whether or not they could.
    ///
    /// It also watches the actions of emitters under it. It is for logs and for what shows the state elsewhere. It runs where the services do, before `send` returns, and has
    /// no say; what takes part is ``pre(_:)`` and `post(_:)`.
    public func observe(
        _ observer: nonisolated(nonsending) @escaping @Sendable (any Action) async -> Void
    ) -> ModifiedService<Self> {
        hooked(.observe) { WildcardHook(at: $0) { action, _ in await observer(action) } }
    }

    /// Watches the actions of this type, exactly this one; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (A) async -> Void
    ) -> ModifiedService<Self> {
        hooked(.observe) { TypedHook(at: $0) { (action: A, _) in await observer(action) } }
    }

    /// Is told that an action of this type was handled, and not which; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable () async -> Void
    ) -> ModifiedService<Self> {
        hooked(.observe) { TypedHook(at: $0) { (_: A, _) in await observer() } }
    }

    /// Puts a hook around the service.
    func hooked(
        _ moment: HookMoment,
        _ makeHook: @escaping @MainActor (PlanSite) -> any Hook
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let surrounding = Surrounding.hook(moment, makeHook(context.site))
            context.surroundings.append(surrounding)
            return { surrounding.node(around: $0) }
        }
    }
}

extension StoreService {
    /// Watches the actions of this type together with the model, once the store has handled them.
    ///
    /// A model that is a value comes as the last finished mutation has left it. For the rest see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (Model, A) async -> Void
    ) -> ModifiedService<Self> {
        handling(
            .observe { box, site in
                TypedHook(at: site) { (action: A, _) in await observer(box.current, action) }
            }
        )
    }
}
