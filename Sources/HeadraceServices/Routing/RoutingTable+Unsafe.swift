// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension RoutingTable {
    /// The first step for actions of this type, or `nil` if nothing handles them.
    ///
    /// The cast needs no check: both look-ups are keyed by the identity of `A`, and every route under that identity was
    /// made from a `RouteStep<A>` (`TypedHandler`, `TypedInterceptor`, `otherStep(for:)`).
    @inlinable
    func step<A: Action>(for type: A.Type) -> RouteStep<A>? {
        guard let step = namedStep(for: type) ?? otherStep(for: type) else { return nil }
        return unsafe unsafeDowncast(step, to: RouteStep<A>.self)
    }

    /// A `RouteStep` for this type, or `nil` if nothing in the tree names the type.
    ///
    /// The route isn't retained while its step is read, because `routes` is immutable and holds the route as long as `self`
    /// exists. The step itself is returned retained.
    @usableFromInline
    func namedStep(for type: Any.Type) -> (any AnyObject & Sendable)? {
        unsafe routes.unretained(type)?._withUnsafeGuaranteedRef { $0.step }
    }
}
