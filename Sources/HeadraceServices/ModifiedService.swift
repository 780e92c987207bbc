// SPDX-License-Identifier: Apache-2.0

/// A service with a modifier.
public struct ModifiedService<Base: Service>: Service {
    let base: Base

    /// Makes the node from the node of the base.
    typealias MakeNode = @MainActor (ServiceNode) -> ServiceNode

    /// Changes the context of the base, and returns the function that makes the node after the base has been read.
    let enter: @MainActor (inout ReadingContext) -> MakeNode

    init(_ base: Base, enter: @escaping @MainActor (inout ReadingContext) -> MakeNode) {
        self.base = base
        self.enter = enter
    }
}

extension ModifiedService: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        var inner = context
        let makeNode = enter(&inner)
        return ServiceReading(of: base, in: inner, makeNode: makeNode)
    }
}

extension ModifiedService: StoreService where Base: StoreService {
    /// The type of the store's model.
    public typealias Model = Base.Model
}

extension Service {
    /// Returns the service with a modifier that changes the context of the services under it.
    func modified(
        _ remark: String? = nil,
        _ change: @escaping @MainActor (inout ReadingContext) -> Void
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            change(&context)
            return { base in remark.map { ServiceNode(base, labelled: .remark($0)) } ?? base }
        }
    }
}

extension Service {
    /// Runs the services under the modifier serially, in the order written.
    ///
    /// It applies at every depth, up to the next ``concurrent()``. The services run in the task and on the actor of the sender.
    /// After an error, the remaining services don't run.
    public func serial() -> ModifiedService<Self> {
        modified("serial") { $0.strategy = .serial }
    }

    /// Runs the services under the modifier concurrently.
    ///
    /// This is the default.
    ///
    /// It applies at every depth, up to the next ``serial()``. If several services handle an action, each runs in a child task.
    /// After an error, the other services still finish, and all errors are reported.
    public func concurrent() -> ModifiedService<Self> {
        modified("concurrent") { $0.strategy = .concurrent }
    }

    /// Runs `handler` on the main actor before the cluster handles its first action.
    ///
    /// The handlers of inner services run first, and the handlers of siblings run in the order written. If a handler throws,
    /// the remaining handlers don't run, and ``Bootstrap`` throws the error.
    public func bootstrap(_ handler: @escaping @MainActor @Sendable () async throws -> Void) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let (findings, site) = (context.findings, context.site)
            return { base in
                findings.bootstraps.append(site.bootstrap(handler))
                return ServiceNode(base, labelled: .remark("bootstrap"))
            }
        }
    }
}
