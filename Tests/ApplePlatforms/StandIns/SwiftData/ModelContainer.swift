// SPDX-License-Identifier: Apache-2.0

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; only the declarations that the samples use.
///
/// It keeps models in memory.
///
/// It is `Sendable` without a lock, and safe because the tests use it on the main actor only.
public class ModelContainer: Equatable, @unchecked Sendable {
    public let schema: Schema

    /// The error of the next `save()`.
    ///
    /// SwiftData has no such property.
    package var nextSaveError: (any Error)?

    /// The saved models.
    ///
    /// SwiftData has no such property.
    package var models: [any PersistentModel] = []

    var didSave: (@MainActor () -> Void)?

    @MainActor public private(set) lazy var mainContext = ModelContext(self)

    public init(for givenSchema: Schema, configurations: [ModelConfiguration]) throws {
        schema = givenSchema
    }

    public convenience init(
        for forTypes: any PersistentModel.Type...,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    init() {
        schema = Schema([])
    }

    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}

/// Source: SwiftData.swiftinterface of the iOS 18 SDK; without `version`.
public final class Schema {
    public init(_ types: [any PersistentModel.Type]) {}
}

/// Source: SwiftData.swiftinterface of the iOS 18 SDK.
public struct ModelConfiguration {
    public struct CloudKitDatabase {
        public static var automatic: CloudKitDatabase { CloudKitDatabase() }

        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase() }
    }

    public init(
        _ name: String? = nil,
        schema: Schema? = nil,
        isStoredInMemoryOnly: Bool = false,
        allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {}
}
