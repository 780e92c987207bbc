//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An optional type, which resolves to what its wrapped type is registered as.
protocol OptionalDependency {
    /// Gives what `resolver` has for the wrapped type, or `nil`.
    static func resolveWrapped(by resolver: any DependencyResolver) -> Self
}

extension Optional: OptionalDependency {
    static func resolveWrapped(by resolver: any DependencyResolver) -> Self {
        resolver.tryResolve(Wrapped.self)
    }
}
