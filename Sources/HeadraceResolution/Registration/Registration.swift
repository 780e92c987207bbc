//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a registry records of one type: how it is made, and how long it is kept.
///
/// The registration forms of ``DependencyRegistry`` make these; a registry of your own stores them.
public struct Registration: Sendable {
    /// The type that is resolved.
    public let contract: Any.Type

    /// How long an object that was made is given again.
    public let lifetime: Lifetime

    /// Makes the binding that a container keeps, with storage of its own for what is shared.
    ///
    /// `scopedIndex` is the place of a scoped object in its scope.
    let makeBinding: @Sendable (_ scopedIndex: Int) -> Binding

    /// Records that `factory` makes a `Contract` each time one is resolved.
    public init<Contract>(
        transient contract: Contract.Type,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.contract = contract
        lifetime = .transient
        makeBinding = { _ in TransientBinding(factory) }
    }

    /// Records that `factory` makes a `Contract` once for each scope.
    public init<Contract: Sendable>(
        scoped contract: Contract.Type,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.contract = contract
        lifetime = .scoped
        makeBinding = { ScopedBinding(index: $0, factory) }
    }

    /// Records that `factory` makes a `Contract` once, in the outermost scope.
    public init<Contract: Sendable>(
        singleton contract: Contract.Type,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.contract = contract
        lifetime = .singleton
        makeBinding = { _ in SingletonBinding(factory) }
    }
}
