// SPDX-License-Identifier: Apache-2.0

/// A store, with or without modifiers.
///
/// `mutate(on:_:)` is available on stores only: a mutation without a store doesn't compile. ``Store`` and a modified store conform. Your own service may conform if its body
/// is one store: mutations added to the service then apply to that store.
public protocol StoreService<Model>: Service {
    /// The type of the store's model.
    associatedtype Model: Sendable
}
