//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What an optional type resolves to: whatever its wrapped type is registered as, or `nil`.
protocol OptionalDependency {
    /// The wrapped type.
    static var wrapped: Any.Type { get }

    /// Gives what `resolver` has for the wrapped type, or `nil`.
    static func resolveWrapped(by resolver: any DependencyResolver) -> Self
}

extension Optional: OptionalDependency {
    static var wrapped: Any.Type { Wrapped.self }

    static func resolveWrapped(by resolver: any DependencyResolver) -> Self {
        resolver.tryResolve(Wrapped.self)
    }
}
