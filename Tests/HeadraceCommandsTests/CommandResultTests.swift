// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

/// Commands that return a result.
@Suite struct CommandResultTests {
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var middleware: [any Middleware] = []
        var scoping = DispatchScoping.dispatcher

        static let all = [
            Way(testDescription: "direct"),
            Way(testDescription: "through middleware", middleware: [PassThrough(), PassThrough()]),
            Way(testDescription: "in its own scope", scoping: .perDispatch),
            Way(testDescription: "both", middleware: [PassThrough()], scoping: .perDispatch),
        ]
    }

    private func dispatcher(_ way: Way, journal: Journal = Journal()) -> any CommandQueryDispatcher {
        container(
            commandHandlers: [
                NumberNoteHandler.self, NoteHandler.self, OpenDrawerHandler.self, ConvertHandler<Int, String>.self,
            ],
            middleware: way.middleware,
            scoping: way.scoping,
            journal: journal
        ).resolve()
    }

    @Test(arguments: Way.all) func aCommandReturnsTheResultOfItsHandler(way: Way) async throws {
        let dispatcher = dispatcher(way)

        let first = try await dispatcher.dispatch(NumberNote(text: "one"))
        let second = try await dispatcher.dispatch(NumberNote(text: "two"))

        #expect([first, second] == [1, 2])
    }

    @Test(arguments: Way.all) func aCallerMayIgnoreTheResult(way: Way) async throws {
        let journal = Journal()

        try await dispatcher(way, journal: journal).dispatch(NumberNote(text: "one"))

        #expect(journal.entries == ["one"])
    }

    @Test(arguments: Way.all) func genericCodeDispatchesCommandsWithAndWithoutAResult(way: Way) async throws {
        let journal = Journal()
        let dispatcher = dispatcher(way, journal: journal)
        nonisolated(nonsending) func send<Command: CQDCommand>(_ command: Command) async throws -> Command.Output {
            try await dispatcher.dispatch(command)
        }

        let number = try await send(NumberNote(text: "one"))
        let nothing: Void = try await send(Note(text: "two"))

        #expect(number == 1)
        #expect(nothing == ())
        #expect(journal.entries == ["one", "note two"])
    }

    @Test(arguments: Way.all) func commandsOfAnyTypeAreDispatchedFromAList(way: Way) async throws {
        let journal = Journal()
        let dispatcher = dispatcher(way, journal: journal)

        for command in [NumberNote(text: "one"), Note(text: "two")] as [any CQDCommand] {
            try await dispatcher.dispatch(command)
        }
        let numbering: any CQDCommand<Int> = NumberNote(text: "three")
        let number: Int = try await dispatcher.dispatch(numbering)

        #expect(number == 3)
        #expect(journal.entries == ["one", "note two", "three"])
    }

    @Test @MainActor func aResultStaysOnTheActorOfTheCaller() async throws {
        let drawer = try await dispatcher(Way.all[1]).dispatch(OpenDrawer())

        drawer.isOpen = true
        #expect(drawer.isOpen)
    }

    @Test func aCommandMayUseTheNamesResultAndValueForItsOwnTypes() async throws {
        let convert = Convert<Int, String>(value: 7, result: .success("seven"))

        let nothing: Void = try await dispatcher(Way.all[0]).dispatch(convert)

        #expect(nothing == ())
    }

    @Test func aCommandWithAResultAndWithoutAHandlerThrows() async throws {
        let dispatcher: any CommandQueryDispatcher = container().resolve()

        let error = await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(NumberNote(text: "one")) }

        #expect(error?.code == .noHandler)
    }

    // MARK: A dispatcher that was written before commands had results

    @Test func aDispatcherWithoutResultsDispatchesCommandsOfGenericCode() async throws {
        let journal = Journal()
        let dispatcher: any CommandQueryDispatcher = PlainDispatcher(journal: journal)
        nonisolated(nonsending) func send(_ command: some CQDCommand) async throws {
            try await dispatcher.dispatch(command)
        }

        try await dispatcher.dispatch(Note(text: "one"))
        try await send(Note(text: "two"))
        let third: any CQDCommand = Note(text: "three")
        try await dispatcher.dispatch(third)

        #expect(journal.entries == ["Note", "Note", "Note"])
    }

    @Test func aDispatcherWithoutResultsRefusesACommandWithAResult() async throws {
        let journal = Journal()
        let dispatcher: any CommandQueryDispatcher = PlainDispatcher(journal: journal)

        let error = await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(NumberNote(text: "one")) }

        #expect(error?.code == .noHandler)
        #expect(
            error?.message == """
                'HeadraceCommandsTests.PlainDispatcher' doesn't support commands with a result, so it can't dispatch \
                'HeadraceCommandsTests.NumberNote'. To fix, implement its \
                'dispatch<T: CQDCommand>(_ command: T) async throws -> T.Output'.
                """
        )
        #expect(journal.entries.isEmpty)
    }
}

// MARK: - Fixtures

private struct NumberNote: CQDCommand {
    typealias Output = Int
    var text: String
}

private struct NumberNoteHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: NumberNote) async throws -> Int {
        journal.record(command.text)
        return journal.entries.count
    }
}

/// A result that isn't `Sendable`.
private final class Drawer {
    var isOpen = false
}

private struct OpenDrawer: CQDCommand {
    typealias Output = Drawer
}

private struct OpenDrawerHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: OpenDrawer) async throws -> Drawer { Drawer() }
}

/// A command without a result, though its parameters have the names `Value` and `Result`.
private struct Convert<Value: Sendable, Result: Sendable>: CQDCommand {
    var value: Value
    var result: Swift.Result<Result, any Error>
}

private struct ConvertHandler<Value: Sendable, Result: Sendable>: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Convert<Value, Result>) async throws {}
}

/// A dispatcher as it was written for commands without results.
private struct PlainDispatcher: CommandQueryDispatcher {
    let journal: Journal

    func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        journal.record("\(T.self)")
    }

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        throw Closed.Refusal()
    }
}
