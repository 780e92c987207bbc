// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Observes every action after the services under the modifier have handled it, whether or not they failed.
    ///
    /// Use it for logs and for state shown elsewhere. The observer runs in the task of the services, before `send` returns, and
    /// can't affect the result; use ``pre(_:)`` and `post(_:)` for that. Actions of emitters under the modifier are included.
    public func observe(
        _ observer: nonisolated(nonsending) @escaping @Sendable (any Action) async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe) { WildcardInterceptor(at: $0) { action, _ in await observer(action) } }
    }

    /// Observes the actions of exactly this type; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (A) async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe) { TypedInterceptor(at: $0) { (action: A, _) in await observer(action) } }
    }

    /// Observes that an action of exactly this type was handled, without receiving the action; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable () async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe) { TypedInterceptor(at: $0) { (_: A, _) in await observer() } }
    }

    /// Returns the service with an interceptor around it.
    func intercepting(
        _ phase: InterceptionPhase,
        _ makeInterceptor: @escaping @MainActor (ServiceSite) -> any Interceptor
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let modifier = TreeNode.Modifier.interceptor(phase, makeInterceptor(context.site))
            context.modifiers.append(modifier)
            return { TreeNode(.modified($0, modifier)) }
        }
    }
}

extension StoreService {
    /// Observes the actions of exactly this type together with the model, after the store has handled them.
    ///
    /// A value model is passed as the last finished mutation left it. For order and errors see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (Model, A) async -> Void
    ) -> ModifiedService<Self> {
        handling(
            .observe { model, site in
                TypedInterceptor(at: site) { (action: A, _) in await observer(model.current, action) }
            }
        )
    }
}
