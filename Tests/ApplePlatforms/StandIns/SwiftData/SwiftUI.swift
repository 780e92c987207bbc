// SPDX-License-Identifier: Apache-2.0

import SwiftUI

// Apple's module `_SwiftData_SwiftUI` has these declarations. It is imported automatically with both modules.

extension EnvironmentValues {
    private struct ModelContextKey: EnvironmentKey {
        static var defaultValue: ModelContext { ModelContext(ModelContainer()) }
    }

    /// Source: _SwiftData_SwiftUI.swiftinterface of the iOS 18 SDK.
    public var modelContext: ModelContext {
        get { self[ModelContextKey.self] }
        set { self[ModelContextKey.self] = newValue }
    }
}

extension Scene {
    /// Source: _SwiftData_SwiftUI.swiftinterface of the iOS 18 SDK.
    @MainActor @preconcurrency
    public func modelContainer(_ container: ModelContainer) -> some Scene {
        environment(\.modelContext, container.mainContext)
    }
}

/// Source: _SwiftData_SwiftUI.swiftinterface of the iOS 18 SDK; without filter and order.
@preconcurrency @MainActor
public struct Query<Element: PersistentModel, Result>: DynamicProperty {
    private final class Reading {
        var context: ModelContext?
    }

    private let reading = Reading()
    private let fetch: (ModelContext) throws -> Result
    private let empty: Result

    public init() where Result == [Element] {
        fetch = { try $0.fetch(FetchDescriptor<Element>()) }
        empty = []
    }

    public var modelContext: ModelContext { reading.context ?? EnvironmentValues().modelContext }

    public var wrappedValue: Result {
        do {
            return try fetch(modelContext)
        } catch {
            return empty
        }
    }
}

extension Query: InstalledProperty {
    package func install(at place: String, on canvas: Canvas) {
        reading.context = canvas.environment.modelContext
        modelContext.container.didSave = { [weak screen = canvas.screen] in screen?.invalidate() }
    }
}

/// Source: _SwiftData_SwiftUI.swiftinterface of the iOS 18 SDK; without the variants with arguments.
@attached(accessor)
@attached(peer, names: prefixed(`_`))
public macro Query() = #externalMacro(module: "StandInMacros", type: "QueryMacro")
