// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftData)
public import HeadraceDomain
public import SwiftData

/// Makes a SwiftData context the context of a unit of work.
///
/// ```swift
/// modelContext.autosaveEnabled = false
/// let unitOfWork = UnitOfWork<ModelContext>(delegator: registrar, context: modelContext)
/// try await unitOfWork.execute { context in
///     try context.fetch(FetchDescriptor<Customer>()).first?.placeOrder(Order())
/// }
/// ```
///
/// Turn `autosaveEnabled` off. Otherwise SwiftData saves changes before their events are handled, and those changes can't
/// be rolled back. Events are collected from the models that were inserted, changed, or deleted. SwiftData doesn't notice a
/// model that has only raised an event, so change a property of the model too. Events are handled in the process: the
/// context stores no deliveries, and a ``HeadraceDomain/DurableDomainEventHandler`` runs like any other post-commit handler.
extension ModelContext: DomainContext {
    /// Takes the events of the models that were inserted, changed, or deleted since the last save.
    ///
    /// - Returns: The events in the order in which they were raised.
    public func takeEvents() -> [CollectedEvent] {
        let models: [any PersistentModel] = insertedModelsArray + changedModelsArray + deletedModelsArray
        return CollectedEvent.take(from: models.compactMap { $0 as? any HasDomainEvents })
    }

    /// Saves the changes.
    ///
    /// The events were handled before and aren't stored.
    ///
    /// - Throws: The error that `save()` throws.
    public nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws {
        try save()
    }
}
#endif
