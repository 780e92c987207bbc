// SPDX-License-Identifier: Apache-2.0

@_exported import Observation
import Synchronization

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; without the requirements that only a store needs:
/// `init(backingData:)` and `schemaMetadata`.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable {
    var persistentBackingData: BackingData { get }
}

extension PersistentModel {
    public var persistentModelID: PersistentIdentifier { persistentBackingData.persistentModelID }

    public var modelContext: ModelContext? { persistentBackingData.modelContext }

    public var id: PersistentIdentifier { persistentModelID }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; without `Codable` and `Comparable`.
public struct PersistentIdentifier: Hashable, Identifiable, Sendable {
    private let number: Int

    public var id: PersistentIdentifier { self }

    static func next() -> PersistentIdentifier {
        PersistentIdentifier(number: lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    private static let lastNumber = Atomic(0)
}

/// A reference to the context of a model.
///
/// In SwiftData, this is a protocol that also has the values.
public final class BackingData {
    let persistentModelID = PersistentIdentifier.next()
    weak var modelContext: ModelContext?

    public init() {}

    /// Notifies the context that `model` is about to change; `undo` reverts the change.
    public func willChange<Model: PersistentModel>(_ model: Model, undo: @escaping (Model) -> Void) {
        modelContext?.noteChange(of: model) { undo(model) }
    }
}

/// Source: SwiftData.swiftinterface of the iOS 18 SDK, without the names that only a store needs.
@attached(member, names: named(persistentBackingData))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel)
public macro Model() = #externalMacro(module: "StandInMacros", type: "ModelMacro")

/// Source: SwiftData.swiftinterface of the iOS 18 SDK.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "StandInMacros", type: "PersistedPropertyMacro")

/// Source: SwiftData.swiftinterface of the iOS 18 SDK.
@attached(peer)
public macro Transient() = #externalMacro(module: "StandInMacros", type: "TransientMacro")
