// SPDX-License-Identifier: Apache-2.0

import Combine
import Headrace
import Testing

/// A model with a published property and injected dependencies.
@Suite(.timeLimit(.minutes(1))) @MainActor struct PublishedModelTests {
    @Test func aModelReceivesTheDispatcherAndPublishesErrors() async {
        let builder: ContainerBuilder = .init()
        builder.commandQueryDispatch().standard(commandHandlers: [AddSomethingCommandHandler.self])
        builder.transient(ExampleModel.self)
        let model: ExampleModel = builder.build().resolve()
        let (errors, continuation) = AsyncStream.makeStream(of: String.self)
        let subscription = model.$displayedError.sink { continuation.yield($0.map { "\($0)" } ?? "none") }

        model.addSomething()

        var published = errors.makeAsyncIterator()
        #expect(await published.next(isolation: MainActor.shared) == "none")
        #expect(await published.next(isolation: MainActor.shared) == "NotAllowed()")
        withExtendedLifetime(subscription) {}
    }
}

@MainActor
@Resolvable
class ExampleModel: ObservableObject {
    @Published private(set) var displayedError: Error? = nil

    private let dispatcher: CommandQueryDispatcher

    func addSomething() {
        Task {
            do {
                try await dispatcher.dispatch(AddSomethingCommand())
            } catch {
                displayedError = error
            }
        }
    }
}

struct AddSomethingCommand: CQDCommand {}

struct NotAllowed: Error {}

@Resolvable
class AddSomethingCommandHandler: HandlesCommand {
    func handle(_ command: AddSomethingCommand) async throws {
        throw NotAllowed()
    }
}
