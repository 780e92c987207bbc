// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceTesting
import Testing

// MARK: - A stand-in for the Composable Architecture

// The package isn't a dependency of Headrace. These are the signatures of its `Reduce`, `Effect.run`, and `Send` in version 1.25.

@MainActor
private struct Send<Action: Sendable>: Sendable {
    let send: @MainActor @Sendable (Action) -> Void

    func callAsFunction(_ action: Action) {
        send(action)
    }
}

private struct Effect<Action: Sendable>: Sendable {
    let run: @concurrent @Sendable (Send<Action>) async -> Void

    static var none: Effect { Effect { _ in } }

    static func run(
        operation: @escaping @concurrent @Sendable (Send<Action>) async throws -> Void,
        catch handler: (@concurrent @Sendable (any Error, Send<Action>) async -> Void)? = nil
    ) -> Effect {
        Effect { send in
            do { try await operation(send) } catch { await handler?(error, send) }
        }
    }
}

private struct Reduce<State, Action: Sendable> {
    let reduce: (inout State, Action) -> Effect<Action>

    init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) {
        self.reduce = reduce
    }
}

@MainActor
private final class ScreenStore<State: Sendable, Action: Sendable> {
    private(set) var state: State
    private let reducer: Reduce<State, Action>
    private let changes: AsyncStream<State>.Continuation

    init(_ state: State, _ reducer: Reduce<State, Action>, changes: AsyncStream<State>.Continuation) {
        self.state = state
        self.reducer = reducer
        self.changes = changes
    }

    func send(_ action: Action) -> Task<Void, Never> {
        let effect = reducer.reduce(&state, action)
        changes.yield(state)
        return Task { await effect.run(Send { _ = self.send($0) }) }
    }
}

// MARK: - The domain

@DomainEntity
private final class Book: StoredEntity {
    static let entityName = "book"
    let id: String
    private(set) var reader: String?

    init(id: String) {
        self.id = id
    }

    func lend(to reader: String) throws {
        if self.reader != nil { throw BookIsOut(book: id) }
        self.reader = reader
    }
}

private struct BookIsOut: Error {
    let book: String
}

private struct LendBook: CQDCommand {
    let book: String
    let reader: String
}

@Resolvable
private final class LendBookHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: LendBook) async throws {
        try await unitOfWork.execute { context in
            try await context.find(Book.self, id: command.book)?.lend(to: command.reader)
        }
    }
}

// MARK: - The screen

private struct Loans {
    struct State: Equatable, Sendable {
        var loans: [String] = []
        var message = ""
    }

    enum Action: Sendable {
        case appeared
        case loansChanged([String])
        case lendTapped(book: String, reader: String)
        case refused(String)
    }

    let dispatcher: any CommandQueryDispatcher
    let store: InMemoryStore

    var body: Reduce<State, Action> {
        Reduce { state, action in
            switch action {
            case .appeared:
                return .run { send in
                    let loans = store.observe { context in
                        try await context.fetch(Book.self).compactMap(\.reader)
                    }
                    for try await readers in loans { await send(.loansChanged(readers)) }
                }
            case .loansChanged(let loans):
                state.loans = loans
                return .none
            case .lendTapped(let book, let reader):
                return .run { send in
                    try await dispatcher.dispatch(LendBook(book: book, reader: reader))
                } catch: { error, send in
                    await send(.refused("\(error)"))
                }
            case .refused(let message):
                state.message = message
                return .none
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct ComingFromAnotherPackageTests {
    @MainActor
    @Test func anEffectOfAnotherPackageDispatchesACommandAndFollowsALiveQuery() async throws {
        let store = try InMemoryStore(entities: [Book.self])
        let builder = ContainerBuilder()
        builder.domain(store: store)
        builder.commandQueryDispatch().standard(commandHandlers: [LendBookHandler.self])
        let container = builder.build()
        try await container.resolve(UnitOfWork<EntityContext>.self).execute { $0.insert(Book(id: "emma")) }
        let (states, changes) = AsyncStream<Loans.State>.makeStream()
        let screen = ScreenStore(
            Loans.State(), Loans(dispatcher: container.resolve(), store: store).body, changes: changes)

        let following = screen.send(.appeared)
        await screen.send(.lendTapped(book: "emma", reader: "Ada")).value
        await screen.send(.lendTapped(book: "emma", reader: "Bea")).value
        for await state in states where state.loans == ["Ada"] && !state.message.isEmpty { break }

        #expect(screen.state == Loans.State(loans: ["Ada"], message: #"BookIsOut(book: "emma")"#))
        following.cancel()
        await following.value
    }
}
#endif
