// SPDX-License-Identifier: Apache-2.0

extension Service {
    /// Runs `handler` on the main actor before the cluster handles its first action.
    ///
    /// The handlers of inner services run first, and the handlers of siblings run in the order written. If a handler throws, the remaining
    /// handlers don't run, and ``Bootstrap`` throws the error.
    public func bootstrap(_ handler: @escaping @MainActor @Sendable () async throws -> Void) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let (findings, site) = (context.findings, context.site)
            return { base in
                findings.bootstraps.append(site.bootstrap(handler))
                return TreeNode(.inner(base), label: .remark("bootstrap"))
            }
        }
    }
}

extension StoreService {
    /// Prepares the model of the store on the main actor, before the cluster handles its first action.
    ///
    /// For order and errors see `bootstrap(_:)`.
    @_disfavoredOverload  // A model that is an object uses the other overload.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (inout Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .bootstrap { exclusive, site in
                site.bootstrap {
                    try await exclusive.mutate { @MainActor model in try await handler(&model) }
                }
            }
        )
    }
}

extension StoreService where Model: AnyObject {
    /// Prepares the model of the store on the main actor, before the cluster handles its first action.
    ///
    /// For order and errors see `bootstrap(_:)`.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(.bootstrap { exclusive, site in site.bootstrap { try await handler(exclusive.initial) } })
    }
}
