// SPDX-License-Identifier: Apache-2.0

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

    @Test func aHandlerMayBeAStruct() async throws {
        let contracts = container(commandHandlers: [EraseHandler.self])

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Erase())

        #expect(contracts.resolve(Journal.self).entries == ["erase"])
    }

    // MARK: The scope

    @Test func eachDispatchMakesANewHandler() async throws {
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

    @Test func twoDispatchesOfOneScopeShareScopedObjects() async throws {
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

    // MARK: Errors

    @Test func anErrorOfAHandlerPassesThroughUnwrapped() async throws {
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

/// Returns the handler itself, which isn't `Sendable`.
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
