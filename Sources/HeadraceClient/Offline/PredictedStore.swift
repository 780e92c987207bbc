// SPDX-License-Identifier: Apache-2.0

#if Client
import HeadraceCore
public import HeadraceStorage

/// The entities of a device as the pending commands of an ``OfflineDispatcher`` change them.
///
/// ```swift
/// let predicted = PredictedStore(of: store)
/// let container = notesContainer(on: predicted)
/// let dispatcher: any CommandQueryDispatcher = container.resolve()
/// let offline = try await OfflineDispatcher(remote, predictingIn: predicted, by: dispatcher)
/// ```
///
/// A screen reads from it, for example with a query handler in `observe(_:)`. It is kept in memory, and made again after each change of
/// the device's store and of the pending commands. Commits of your own are lost then.
///
/// - The events of a prediction stay in it, so no durable handler receives them. Other handlers run with each prediction.
/// - Event-sourced entities can't be predicted.
public final class PredictedStore: StoreDecorator, ObservableStore {
    /// The predictions that the task makes.
    @TaskLocal private static var working: [ObjectIdentifier: InMemoryStore] = [:]

    private let visible: InMemoryStore

    /// The store to which the pending commands belong.
    let origin: any ObservableStore

    /// Creates a store with the entities of the device's store.
    public init(of store: any ObservableStore) {
        origin = store
        visible = InMemoryStore(schema: store.schema)
    }

    /// The store of the last prediction, or of the prediction that the task makes.
    public var base: any DeliveryStore { Self.working[ObjectIdentifier(self)] ?? visible }

    /// Records the predictions.
    public var commitFeed: CommitFeed { visible.commitFeed }

    /// Returns no deliveries.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries { LeasedDeliveries() }

    /// Runs `operation` on `store` instead of the last prediction.
    nonisolated(nonsending) func working<Result>(
        on store: InMemoryStore,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        var stores = Self.working
        stores[ObjectIdentifier(self)] = store
        return try await Self.$working.binding(stores, operation)
    }

    /// Makes `contents` visible.
    func show(_ contents: InMemoryStore.Contents) {
        visible.restore(contents)
        visible.commitFeed.recordCommit(of: nil)
    }
}
#endif
