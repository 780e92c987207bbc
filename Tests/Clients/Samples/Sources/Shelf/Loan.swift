// SPDX-License-Identifier: Apache-2.0

import Headrace

/// The outcome of a loan with the handlers of one module, all on the main actor.
package struct Loan: Equatable {
    package var description: String
    package var screen: [String]

    /// Whether the helper of the command, the entity, and the handler of its event ran on the main actor.
    package var wasOnMainActor: [Bool]

    package init(description: String, screen: [String], wasOnMainActor: [Bool]) {
        self.description = description
        self.screen = screen
        self.wasOnMainActor = wasOnMainActor
    }

    /// Lends "Ulysses" to Ada.
    @MainActor
    package init(
        commandHandlers: [any (HandlesCommand & Resolvable).Type],
        queryHandlers: [any (HandlesQuery & Resolvable).Type],
        eventHandlers: [any (HandlesDomainEvent & Resolvable).Type]
    ) async throws {
        let builder = ContainerBuilder()
        builder.singleton { Members() }
        builder.singleton { Screen() }
        builder.domain(
            store: try InMemoryStore(entities: [Book.self, Reader.self]),
            handlers: eventHandlers
        )
        builder.commandQueryDispatch().standard(commandHandlers: commandHandlers, queryHandlers: queryHandlers)
        try builder.validate()
        let container = builder.build()
        try await container.resolve(UnitOfWork<EntityContext>.self).execute { context in
            context.insert(Book(id: "Ulysses"))
            context.insert(Reader(id: "Ada"))
        }

        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.dispatch(ClearScreen())
        try await dispatcher.dispatch(LendBook(book: "Ulysses", reader: "Ada"))
        description = try await dispatcher.dispatch(GetReader(book: "Ulysses"))
        screen = try await dispatcher.dispatch(GetScreen())

        let context: EntityContext = container.resolve()
        wasOnMainActor = container.resolve(Members.self).lookupsOnMainActor
        wasOnMainActor += try await context.fetch(Book.self).map(\.changedOnMainActor)
        wasOnMainActor += try await context.fetch(Reader.self).map(\.changedOnMainActor)
    }
}
