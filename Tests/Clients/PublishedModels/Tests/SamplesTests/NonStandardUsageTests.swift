// SPDX-License-Identifier: Apache-2.0

import Headrace
import Synchronization
import Testing

/// A custom dispatcher in place of the standard dispatcher.
@Suite struct NonStandardUsageTests {
    @Test func aCustomDispatcherDecidesHowItDispatches() async throws {
        let builder: ContainerBuilder = .init()
        let handlers = MyCustomHandlerRegistry(answers: ["one", "two"])

        builder.transient { MySuperSpecialUniqueDispatcher(handlers: handlers) }

        let dispatcher: MySuperSpecialUniqueDispatcher = builder.build().resolve()
        try await dispatcher.dispatch(PressCommand(button: 7))

        #expect(try await dispatcher.dispatch(ReadDisplayQuery()) == "one")
        #expect(try await dispatcher.dispatch(ReadDisplayQuery()) == "two")
        #expect(handlers.commands == ["PressCommand(button: 7)"])
    }

    @Test(arguments: Form.allCases)
    func itCanBeRegisteredAsTransientScopedOrSingleton(form: Form) async throws {
        let builder: ContainerBuilder = .init()
        let make: @Sendable () -> CommandQueryDispatcher = {
            MySuperSpecialUniqueDispatcher(handlers: MyCustomHandlerRegistry(answers: ["first", "second", "third"]))
        }
        switch form {
        case .transient: builder.transient(CommandQueryDispatcher.self) { make() }
        case .scoped: builder.scoped(CommandQueryDispatcher.self) { make() }
        case .singleton: builder.singleton(CommandQueryDispatcher.self) { make() }
        }
        let container = builder.build()
        let scope = container.scope()

        var answers: [String] = []
        for resolver in [container, container, scope] as [any DependencyResolutionScope] {
            let dispatcher: CommandQueryDispatcher = resolver.resolve()
            answers.append(try await dispatcher.dispatch(ReadDisplayQuery()))
        }

        #expect(answers == form.answers)
    }

    @Test func aStreamQueryOfADispatcherWithoutStreamsThrows() async {
        struct Ticks: CQDStreamQuery { typealias Element = Int }
        let dispatcher = MySuperSpecialUniqueDispatcher(handlers: MyCustomHandlerRegistry(answers: []))

        await #expect(throws: DispatchError.self) { _ = try await dispatcher.dispatch(Ticks()) }
    }

    enum Form: CaseIterable {
        case transient, scoped, singleton

        /// The answers of the outermost scope, resolved twice, followed by the answer of another scope.
        var answers: [String] {
            switch self {
            case .transient: ["first", "first", "first"]
            case .scoped: ["first", "second", "first"]
            case .singleton: ["first", "second", "third"]
            }
        }
    }
}

final class MySuperSpecialUniqueDispatcher: CommandQueryDispatcher {
    private let handlers: MyCustomHandlerRegistry

    init(handlers: MyCustomHandlerRegistry) {
        self.handlers = handlers
    }

    func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        handlers.handle(command)
    }

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        try handlers.handle(query)
    }
}

final class MyCustomHandlerRegistry: Sendable {
    struct Unanswered: Error {}

    private let state: Mutex<(commands: [String], answers: [String])>

    var commands: [String] { state.withLock { $0.commands } }

    init(answers: [String]) {
        state = Mutex(([], answers))
    }

    func handle(_ command: some CQDCommand) {
        state.withLock { $0.commands.append("\(command)") }
    }

    func handle<T: CQDQuery>(_ query: T) throws -> T.Value {
        let answer = state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
        guard let value = answer as? T.Value else { throw Unanswered() }
        return value
    }
}

struct PressCommand: CQDCommand {
    var button: Int
}

struct ReadDisplayQuery: CQDQuery {
    typealias Value = String
}
