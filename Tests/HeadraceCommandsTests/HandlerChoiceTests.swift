// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import Testing

/// The choice of the handler if several handlers are possible.
@Suite struct HandlerChoiceTests {
    @Test func theLastHandlerOfAMessageIsUsed() async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self, ShoutHandler.self],
            queryHandlers: [ReadNotesHandler.self, ReadNothingHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["NOTE ONE"])
        #expect(try await dispatcher.dispatch(ReadNotes()) == [])
    }

    @Test func messagesWithTheSameSimpleNameAreDistinct() async throws {
        let contracts = container(
            commandHandlers: [Printer.OpenHandler.self, Door.OpenHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Printer.Open())
        try await dispatcher.dispatch(Door.Open())

        #expect(contracts.resolve(Journal.self).entries == ["printer", "door"])
    }

    @Test func aHandlerMayTakeACommandAndAQuery() async throws {
        let contracts = container(commandHandlers: [LampHandler.self], queryHandlers: [LampHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(SwitchLamp())

        #expect(try await dispatcher.dispatch(IsLampOn()))
        #expect(contracts.resolve(Journal.self).entries == ["switched"])
    }

    @Test func theLastRegisteredDispatcherIsResolved() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self]) { builder in
            builder.commandQueryDispatch().standard(commandHandlers: [ShoutHandler.self])
        }

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["NOTE ONE"])
    }
}

// MARK: - Messages and handlers

private final class ShoutHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: Note) async throws {
        journal.record("note \(command.text)".uppercased())
    }
}

private final class ReadNothingHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: ReadNotes) async throws -> [String] { [] }
}

private enum Printer {
    struct Open: CQDCommand {}

    final class OpenHandler: HandlesCommand, Resolvable {
        private let journal: Journal

        init(scope: any DependencyResolutionScope) {
            journal = scope.resolve()
        }

        func handle(_ command: Open) async throws {
            journal.record("printer")
        }
    }
}

private enum Door {
    struct Open: CQDCommand {}

    final class OpenHandler: HandlesCommand, Resolvable {
        private let journal: Journal

        init(scope: any DependencyResolutionScope) {
            journal = scope.resolve()
        }

        func handle(_ command: Open) async throws {
            journal.record("door")
        }
    }
}

private struct SwitchLamp: CQDCommand {}

private struct IsLampOn: CQDQuery {
    typealias Value = Bool
}

private final class LampHandler: HandlesCommand, HandlesQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: SwitchLamp) async throws {
        journal.record("switched")
    }

    func handle(_ query: IsLampOn) async throws -> Bool {
        journal.entries.contains("switched")
    }
}
