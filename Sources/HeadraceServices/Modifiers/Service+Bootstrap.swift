//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Service {
    /// Does something before the cluster takes its first action, on the main actor.
    ///
    /// Those of the services under it come first, siblings in the order written. Where one throws, the others are not
    /// called, there is no cluster, and ``Bootstrap`` throws it.
    public func bootstrap(_ handler: @escaping @MainActor @Sendable () async throws -> Void) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let (collector, site) = (context.collector, context.site)
            return { base in
                collector.bootstraps.append(site.bootstrap(handler))
                return Node(.inner(base), label: .remark("bootstrap"))
            }
        }
    }
}

extension StoreService {
    /// Prepares the model of the store before the cluster takes its first action, on the main actor.
    ///
    /// For the rest see `bootstrap(_:)`.
    @_disfavoredOverload  // A model that is an object takes the other one.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (inout Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(
            .bootstrap { box, site in
                site.bootstrap {
                    try await box.mutate { @MainActor model in try await handler(&model) }
                }
            }
        )
    }
}

extension StoreService where Model: AnyObject {
    /// Prepares the model of the store before the cluster takes its first action, on the main actor.
    ///
    /// For the rest see `bootstrap(_:)`.
    public func bootstrap(
        _ handler: @escaping @MainActor @Sendable (Model) async throws -> Void
    ) -> ModifiedService<Self> {
        handling(.bootstrap { box, site in site.bootstrap { try await handler(box.initial) } })
    }
}
