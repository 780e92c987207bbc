//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How long a resolver keeps an object and returns it again.
public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
    let kind: BindingLifetime

    /// A new object each time.
    public static let transient = Lifetime(kind: .transient)

    /// One object in each scope.
    ///
    /// The container is the outermost scope.
    public static let scoped = Lifetime(kind: .scoped)

    /// One object in the container, created in the outermost scope even if another scope asks first.
    public static let singleton = Lifetime(kind: .singleton)

    /// The name of the lifetime, as the registration forms spell it.
    public var description: String { kind.rawValue }
}
