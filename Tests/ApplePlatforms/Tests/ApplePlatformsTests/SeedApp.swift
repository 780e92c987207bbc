// SPDX-License-Identifier: Apache-2.0

// SwiftData comes first: if a module that imports a stand-in is loaded before the stand-in, the compiler (6.3.1) misses the
// conformances that the macros of the stand-in write.
// swift-format-ignore: OrderedImports
import SwiftData
import Headrace
import HeadraceSwiftUI
import SwiftUI

/// An application with SwiftUI and SwiftData, from its scene to its handlers.
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
        preconditionFailure("The model container could not be created: \(error)")
    }
}

/// Creates the container when a model context is available, and lets its content resolve from the container.
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

/// The container of the application.
@MainActor
func getAppContainer(_ modelContext: ModelContext) -> Container {
    let b: ContainerBuilder = .init()

    // Objects of the main actor are registered for the main actor.
    b.transient(on: MainActor.self) { modelContext }

    b.commandQueryDispatch().standard(
        commandHandlers: [
            AddEntityCommandHandler.self
        ],
        queryHandlers: [
            GetRandomEntityQueryHandler.self
        ]
    )

    // The requesting scope.
    b.transient { $0 }

    return b.build()
}

@Model
class SomeEntity {
    var name: String = ""

    init(name: String = "") {
        self.name = name
    }
}

enum DomainError: Error {
    case notFound
}

struct AddEntityCommand: CQDCommand {}

@Resolvable
class AddEntityCommandHandler: HandlesCommand {
    private let modelContext: ModelContext

    func handle(_ command: AddEntityCommand) async throws {
        modelContext.insert(SomeEntity(name: "Entity \(Int.random(in: 100...999))"))
        try modelContext.save()
    }
}

struct GetRandomEntityQuery: CQDQuery {
    typealias Value = SomeEntity
}

@Resolvable
class GetRandomEntityQueryHandler: HandlesQuery {
    private let modelContext: ModelContext

    func handle(_ query: GetRandomEntityQuery) async throws -> SomeEntity {
        guard let result = try modelContext.fetch(FetchDescriptor<SomeEntity>()).first else {
            throw DomainError.notFound
        }
        return result
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
            ForEach(entities, id: \.persistentModelID) { e in
                Text(e.name)
            }
            if let displayedError {
                Text("Error: \(displayedError)")
            }
        }
        .sheet(item: $random) { r in
            Text("Random: \(r.name)")
        }
        .toolbar {
            ToolbarItem(placement: .primaryAction) {
                Button {
                    attempt { try await dispatcher.dispatch(AddEntityCommand()) }
                } label: {
                    Text("Add")
                }
            }

            ToolbarItem(placement: .secondaryAction) {
                Button {
                    attempt { random = try await dispatcher.dispatch(GetRandomEntityQuery()) }
                } label: {
                    Text("View Random")
                }
            }
        }
    }

    /// Shows an error.
    ///
    /// The sample of the seed package stops the program instead.
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
