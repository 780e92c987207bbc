//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands
import HeadraceResolution
import Testing

@Suite struct StandardDispatcherTests {
    @Test func aCommandIsCarriedOutAndAQueryIsAnswered() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self], queryHandlers: [ReadNotesHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Note(text: "one"))
        try await dispatcher.dispatch(Note(text: "two"))
        let notes = try await dispatcher.dispatch(ReadNotes())

        #expect(notes == ["note one", "note two"])
    }

    @Test func everyMessageReachesItsOwnHandlerAmongMany() async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self, EraseHandler.self],
            queryHandlers: [ReadNotesHandler.self, CountNotesHandler.self]
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(Note(text: "one"))
        try await dispatcher.dispatch(Erase())

        #expect(try await dispatcher.dispatch(CountNotes()) == 2)
        #expect(try await dispatcher.dispatch(ReadNotes()) == ["note one", "erase"])
    }

    // MARK: The scope

    @Test func aHandlerIsMadeAnewForEachDispatch() async throws {
        let contracts = container(queryHandlers: [WhoHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let first = try await dispatcher.dispatch(Who())
        let second = try await dispatcher.dispatch(Who())

        #expect(first !== second)
    }

    @Test func aHandlerIsMadeInTheScopeOfItsDispatcher() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self])
        let scope = contracts.scope()
        let nested = scope.scope()

        for resolver in [contracts, scope, nested] as [any DependencyResolutionScope] {
            let dispatcher: any CommandQueryDispatcher = resolver.resolve()
            try await dispatcher.dispatch(Note(text: "anything"))
        }

        let tenants = contracts.resolve(Tenants.self).all
        #expect(tenants.count == 3)
        #expect(tenants[0] === contracts.resolve(Tenant.self))
        #expect(tenants[1] === scope.resolve(Tenant.self))
        #expect(tenants[2] === nested.resolve(Tenant.self))
    }

    @Test func twoDispatchesOfOneScopeShareWhatIsScoped() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.scope().resolve()

        try await dispatcher.dispatch(Note(text: "one"))
        try await dispatcher.dispatch(Note(text: "two"))

        let tenants = contracts.resolve(Tenants.self).all
        #expect(tenants[0] === tenants[1])
    }

    @Test func aHandlerMayDispatchItself() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self, NoteTwiceHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        try await dispatcher.dispatch(NoteTwice(text: "again"))

        #expect(contracts.resolve(Journal.self).entries == ["note again", "note again"])
    }

    // MARK: Which handler

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

    @Test func aHandlerMayBeAStruct() async throws {
        let contracts = container(commandHandlers: [EraseHandler.self])

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Erase())

        #expect(contracts.resolve(Journal.self).entries == ["erase"])
    }

    @Test func theLastRegisteredDispatcherIsTheOneResolved() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self]) { builder in
            builder.commandQueryDispatch().standard(commandHandlers: [ShoutHandler.self])
        }

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["NOTE ONE"])
    }

    // MARK: Errors

    @Test func anErrorOfAHandlerPassesThroughAsItIs() async throws {
        let contracts = container(commandHandlers: [RefuseHandler.self], queryHandlers: [RefuseToSayHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()
        let reason = Refusal(reason: "closed")

        let ofTheCommand = await #expect(throws: Refusal.self) {
            try await dispatcher.dispatch(Refuse(with: reason))
        }
        let ofTheQuery = await #expect(throws: Refusal.self) {
            try await dispatcher.dispatch(RefuseToSay(with: reason))
        }

        #expect(ofTheCommand === reason)
        #expect(ofTheQuery === reason)
    }

    // MARK: Many at once

    @Test(.timeLimit(.minutes(5)))
    func tenThousandDispatchesAtOnceAreEachAnsweredOnce() async throws {
        let contracts = container(queryHandlers: [DoubledHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10_000 {
                group.addTask { try await dispatcher.dispatch(Doubled(number: number)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.sorted() == (0..<10_000).map { $0 * 2 })
        #expect(contracts.resolve(Journal.self).entries.count == 10_000)
    }

    @Test(.timeLimit(.minutes(5)))
    func tenThousandCommandsAtOnceAreEachCarriedOutOnce() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    let dispatcher: any CommandQueryDispatcher = contracts.scope().resolve()
                    try await dispatcher.dispatch(Note(text: "\(number)"))
                }
            }
            try await group.waitForAll()
        }

        let tenants = contracts.resolve(Tenants.self).all
        #expect(Set(contracts.resolve(Journal.self).entries) == Set((0..<10_000).map { "note \($0)" }))
        #expect(contracts.resolve(Journal.self).entries.count == 10_000)
        #expect(Set(tenants.map { ObjectIdentifier($0) }).count == 10_000)
    }

    private func carryOut(_ command: some CQDCommand, by dispatcher: any CommandQueryDispatcher) async throws {
        try await dispatcher.dispatch(command)
    }

    private func ask<Q: CQDQuery>(_ query: Q, of dispatcher: any CommandQueryDispatcher) async throws -> Q.Value {
        try await dispatcher.dispatch(query)
    }
}

// MARK: - Messages and handlers

private struct Erase: CQDCommand {}

private struct EraseHandler: HandlesCommand, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ command: Erase) async throws {
        journal.record("erase")
    }
}

private struct CountNotes: CQDQuery {
    typealias Value = Int
}

private final class CountNotesHandler: HandlesQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: CountNotes) async throws -> Int {
        journal.entries.count
    }
}

/// Answered with the handler itself, which is not `Sendable`, and neither is the answer.
private struct Who: CQDQuery {
    typealias Value = WhoHandler
}

private final class WhoHandler: HandlesQuery, Resolvable {
    private var asked = 0

    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: Who) async throws -> WhoHandler {
        asked += 1
        return self
    }
}

private struct NoteTwice: CQDCommand {
    var text: String
}

private final class NoteTwiceHandler: HandlesCommand, Resolvable {
    private let dispatcher: any CommandQueryDispatcher

    init(scope: any DependencyResolutionScope) {
        dispatcher = scope.resolve()
    }

    func handle(_ command: NoteTwice) async throws {
        try await dispatcher.dispatch(Note(text: command.text))
        try await dispatcher.dispatch(Note(text: command.text))
    }
}

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

private final class Refusal: Error {
    let reason: String

    init(reason: String) {
        self.reason = reason
    }
}

private struct Refuse: CQDCommand {
    var with: Refusal
}

private final class RefuseHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Refuse) async throws {
        throw command.with
    }
}

private struct RefuseToSay: CQDQuery {
    typealias Value = Int
    var with: Refusal
}

private final class RefuseToSayHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: RefuseToSay) async throws -> Int {
        throw query.with
    }
}

private struct Doubled: CQDQuery {
    typealias Value = Int
    var number: Int
}

private final class DoubledHandler: HandlesQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: Doubled) async throws -> Int {
        journal.record("\(query.number)")
        return query.number * 2
    }
}
