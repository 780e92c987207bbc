//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(SwiftData)
public import HeadraceDomain
public import SwiftData

/// A SwiftData context is one of a unit of work.
///
/// ```swift
/// modelContext.autosaveEnabled = false
/// let unitOfWork = UnitOfWork<ModelContext>(delegator: registrar, context: modelContext)
/// try await unitOfWork.execute { context in
///     try context.fetch(FetchDescriptor<Customer>()).first?.placeOrder(Order())
/// }
/// ```
///
/// Turn `autosaveEnabled` off: what SwiftData saves by itself cannot be rolled back, and is saved before its events are
/// handled. Events are collected from the models that were inserted, changed or deleted; one that has only raised an event
/// is not known to SwiftData, so change something in it too. They are handled in process: the context stores no deliveries,
/// and a ``HeadraceDomain/DurableDomainEventHandler`` runs like any other post-commit handler.
extension ModelContext: DomainContext {
    /// Takes the events of the models that were inserted, changed or deleted since the last save, in the order raised.
    public func takeEvents() -> [CollectedEvent] {
        let models: [any PersistentModel] = insertedModelsArray + changedModelsArray + deletedModelsArray
        return CollectedEvent.take(from: models.compactMap { $0 as? any HasDomainEvents })
    }

    /// Saves what was changed; the events were handled before, and are not stored.
    ///
    /// - Throws: What `save()` throws.
    public nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws {
        try save()
    }
}
#endif
