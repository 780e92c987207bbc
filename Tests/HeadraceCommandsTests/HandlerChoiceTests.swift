//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands
import HeadraceResolution
import Testing

/// Which handler a message reaches, where several come into question.
@Suite struct HandlerChoiceTests {
    @Test func theLastHandlerOfAMessageWins() async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self, ShoutHandler.self],
            queryHandlers: [ReadNotesHandler.self, ReadNothingHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["NOTE ONE"])
        #expect(try await dispatcher.dispatch(ReadNotes()) == [])
    }

    @Test func messagesOfOneSimpleNameAreTwoMessages() async throws {
        let contracts = container(
            commandHandlers: [Printer.OpenHandler.self, Door.OpenHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Printer.Open())
        try await dispatcher.dispatch(Door.Open())

        #expect(contracts.resolve(Journal.self).entries == ["printer", "door"])
    }

    @Test func aMessageThatIsACommandAndAQueryHasAHandlerForEach() async throws {
        let contracts = container(commandHandlers: [SwapHandler.self], queryHandlers: [SwapAnswerer.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await carryOut(Swap(), by: dispatcher)
        let answer = try await ask(Swap(), of: dispatcher)

        #expect(contracts.resolve(Journal.self).entries == ["swapped"])
        #expect(answer == "swap it")
    }

    @Test func aHandlerMayTakeACommandAndAQuery() async throws {
        let contracts = container(commandHandlers: [LampHandler.self], queryHandlers: [LampHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(SwitchLamp())

        #expect(try await dispatcher.dispatch(IsLampOn()))
        #expect(contracts.resolve(Journal.self).entries == ["switched"])
    }

    @Test func theLastRegisteredDispatcherIsTheOneResolved() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self]) { builder in
            builder.commandQueryDispatch().standard(commandHandlers: [ShoutHandler.self])
        }

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["NOTE ONE"])
    }

    private func carryOut(_ command: some CQDCommand, by dispatcher: any CommandQueryDispatcher) async throws {
        try await dispatcher.dispatch(command)
    }

    private func ask<Q: CQDQuery>(_ query: Q, of dispatcher: any CommandQueryDispatcher) async throws -> Q.Value {
        try await dispatcher.dispatch(query)
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

private struct Swap: CQDCommand, CQDQuery {
    typealias Value = String
}

private final class SwapHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: Swap) async throws {
        journal.record("swapped")
    }
}

private final class SwapAnswerer: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: Swap) async throws -> String { "swap it" }
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
