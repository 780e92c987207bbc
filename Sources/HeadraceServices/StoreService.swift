//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A store, with or without modifiers: what `mutate(on:_:)` is for.
///
/// A mutation without a store does not compile. ``Store`` conforms, and what modifiers make of it; so may a service of yours
/// whose body is one store, and what is mutated outside goes to that one.
public protocol StoreService<Model>: Service {
    /// What the store keeps.
    associatedtype Model: Sendable
}
