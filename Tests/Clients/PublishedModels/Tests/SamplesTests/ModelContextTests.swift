// SPDX-License-Identifier: Apache-2.0

import Headrace
import Testing

#if canImport(SwiftData)
import SwiftData
#else
/// Stands for SwiftData's context, with the declarations that the samples use.
///
/// Neither it nor its models are `Sendable`.
final class ModelContext {
    private var inserted: [SomeEntity] = []
    private(set) var saved: [SomeEntity] = []

    func insert(_ model: SomeEntity) {
        inserted.append(model)
    }

    func save() throws {
        saved += inserted
        inserted = []
    }

    func fetch(_ descriptor: FetchDescriptor<SomeEntity>) throws -> [SomeEntity] { saved + inserted }
}

struct FetchDescriptor<Model> {}
#endif

/// An application with SwiftData: the context and the handlers that receive it belong to the main actor.
@Suite @MainActor struct ModelContextTests {
    @Test func handlersUseTheContextOfTheMainActor() async throws {
        let container = try getAppContainer(makeModelContext())
        let dispatcher: CommandQueryDispatcher = container.resolve()

        try await dispatcher.dispatch(AddEntityCommand())
        // The entity is not `Sendable`, and stays on the main actor.
        let entity = try await dispatcher.dispatch(GetRandomEntityQuery())

        #expect(entity.name.hasPrefix("Entity "))
    }

    @Test func aMissingEntityIsAnErrorOfTheHandler() async throws {
        let dispatcher: CommandQueryDispatcher = getAppContainer(try makeModelContext()).resolve()

        await #expect(throws: DomainError.notFound) { _ = try await dispatcher.dispatch(GetRandomEntityQuery()) }
    }

    @Test func theScopeItselfIsResolved() throws {
        let container = getAppContainer(try makeModelContext())
        let nested = container.scope()

        let scope: DependencyResolutionScope = nested.resolve()

        #expect(ObjectIdentifier(scope) == ObjectIdentifier(nested))
    }

    private func makeModelContext() throws -> ModelContext {
        #if canImport(SwiftData)
        ModelContext(
            try ModelContainer(
                for: SomeEntity.self,
                configurations: ModelConfiguration(isStoredInMemoryOnly: true)
            )
        )
        #else
        ModelContext()
        #endif
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

#if canImport(SwiftData)
@Model
class SomeEntity {
    var name: String = ""

    init(name: String = "") {
        self.name = name
    }
}
#else
class SomeEntity {
    var name: String = ""

    init(name: String = "") {
        self.name = name
    }
}
#endif

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
        guard let result = try modelContext.fetch(FetchDescriptor<SomeEntity>()).randomElement() else {
            throw DomainError.notFound
        }
        return result
    }
}
