// SPDX-License-Identifier: Apache-2.0

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; only the declarations that the samples use.
///
/// The contexts of one container share its models. A change is recorded when a persisted property is set.
public class ModelContext: Equatable {
    public let container: ModelContainer
    public var autosaveEnabled = false

    private var inserted: [any PersistentModel] = []
    private var changed: [any PersistentModel] = []
    private var deleted: [any PersistentModel] = []
    private var undo: [() -> Void] = []

    public var insertedModelsArray: [any PersistentModel] { inserted }
    public var changedModelsArray: [any PersistentModel] { changed }
    public var deletedModelsArray: [any PersistentModel] { deleted }

    public var hasChanges: Bool { !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) }

    public init(_ container: ModelContainer) {
        self.container = container
    }

    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

    public func insert<T: PersistentModel>(_ model: T) {
        if model.modelContext != nil { return }
        model.persistentBackingData.modelContext = self
        inserted.append(model)
    }

    public func delete<T: PersistentModel>(_ model: T) {
        deleted.append(model)
    }

    public func rollback() {
        for step in undo.reversed() { step() }
        for model in inserted { model.persistentBackingData.modelContext = nil }
        forgetChanges()
    }

    public func save() throws {
        if let error = container.nextSaveError {
            container.nextSaveError = nil
            throw error
        }
        container.models += inserted
        for model in deleted {
            container.models.removeAll { $0 === model }
            model.persistentBackingData.modelContext = nil
        }
        forgetChanges()
        if let didSave = container.didSave { MainActor.assumeIsolated(didSave) }
    }

    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        (container.models + inserted)
            .compactMap { $0 as? T }
            .filter { model in !deleted.contains { $0 === model } }
            .map { model in
                model.persistentBackingData.modelContext = self
                return model
            }
    }

    func noteChange(of model: any PersistentModel, undo step: @escaping () -> Void) {
        undo.append(step)
        if !(inserted + changed).contains(where: { $0 === model }) { changed.append(model) }
    }

    private func forgetChanges() {
        (inserted, changed, deleted, undo) = ([], [], [], [])
    }
}

/// As in SwiftData, a context cannot leave its isolation.
@available(*, unavailable, message: "contexts cannot be shared across concurrency contexts")
extension ModelContext: @unchecked Sendable {}

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; without predicate, order, and limits.
public struct FetchDescriptor<T: PersistentModel> {
    public init() {}
}
