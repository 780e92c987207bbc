//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Compiled where there are SwiftUI and SwiftData: the continuous integration, on Linux, compiles nothing of this file.

#if canImport(SwiftUI) && canImport(SwiftData)
import Headrace
import HeadraceSwiftUI
import SwiftData
import SwiftUI

struct MyApp: App {
    private let modelContainer = getModelContainer()

    var body: some Scene {
        WindowGroup {
            IoCBootstrapperView {
                NavigationStack {
                    RootView()
                }
            }
        }
        .modelContainer(modelContainer)
    }
}

func getModelContainer() -> ModelContainer {
    let schema = Schema([
        SomeEntity.self
    ])
    let modelConfiguration = ModelConfiguration(
        schema: schema,
        isStoredInMemoryOnly: false,
        cloudKitDatabase: .private("iCloud.com.example.whatever")
    )
    do {
        return try ModelContainer(for: schema, configurations: [modelConfiguration])
    } catch {
        preconditionFailure("The entities of the application have no store: \(error)")
    }
}

/// Makes the container once there is a model context to give it, and lets its content resolve from it.
struct IoCBootstrapperView<Content: View>: View {
    var content: () -> Content

    @State private var rootScope: DependencyResolutionScope?

    @Environment(\.modelContext) private var modelContext

    var body: some View {
        if let rootScope {
            content()
                .resolving(from: rootScope)
        } else {
            ProgressView()
                .task {
                    rootScope = getAppContainer(modelContext)
                }
        }
    }
}

@ResolvedScope
struct RootView: View {
    @State private var random: SomeEntity?
    @State private var displayedError: Error?

    @Resolved private var dispatcher: CommandQueryDispatcher

    @Query private var entities: [SomeEntity]

    var body: some View {
        List {
            ForEach(entities, id: \.persistentModelID) { entity in
                Text(entity.name)
            }
        }
        .sheet(item: $random) { entity in
            Text("Random: \(entity.name)")
        }
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Button("Add") {
                    attempt { try await dispatcher.dispatch(AddEntityCommand()) }
                }
            }
            ToolbarItem(placement: .secondaryAction) {
                Button("View Random") {
                    attempt { random = try await dispatcher.dispatch(GetRandomEntityQuery()) }
                }
            }
        }
    }

    private func attempt(_ action: @escaping @MainActor () async throws -> Void) {
        Task { @MainActor in
            do {
                try await action()
            } catch {
                displayedError = error
            }
        }
    }
}
#endif
