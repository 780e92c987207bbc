// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

private struct ListEntries: CQDStreamQuery {
    typealias Element = String
    let account: String
}

private final class ListEntriesHandler: HandlesStreamQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: ListEntries) async throws -> QueryStream<String> {
        let journal = journal
        var position = 0
        return QueryStream {
            position += 1
            return try await journal.entry(position, of: query.account)
        }
    }
}

private struct Journal: Sendable {
    func entry(_ position: Int, of account: String) async throws -> String? {
        position > 3 ? nil : "\(account) \(position)"
    }
}

private struct AddEntry: CQDCommand {}

private final class AddEntryHandler: HandlesCommand, Resolvable {
    private let session: Session

    init(scope: any DependencyResolutionScope) {
        session = scope.resolve()
    }

    func handle(_ command: AddEntry) async throws {
        session.notes.note("entry added")
    }
}

private final class Session: Sendable {
    let notes: Notes

    init(notes: Notes) {
        self.notes = notes
        notes.note("session opened")
    }
}

@Suite struct StreamQueriesTests {
    private let notes = Notes()

    private var builder: ContainerBuilder {
        let builder = ContainerBuilder()
        builder.singleton { [notes] in notes }
        return builder
    }

    @Test func entriesAreReadOneByOne() async throws {
        let builder = builder
        builder.singleton { Journal() }
        builder.commandQueryDispatch().standard(streamHandlers: [ListEntriesHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        let lines = try await printed {
            for try await entry in try await dispatcher.dispatch(ListEntries(account: "cash")) {
                print(entry)
                if entry == "cash 2" { break }  // the rest isn't read
            }
        }

        #expect(lines == ["cash 1", "cash 2"])
    }

    @Test func eachDispatchHasItsScope() async throws {
        let builder = builder
        builder.scoped { Session(notes: $0.resolve()) }
        builder.commandQueryDispatch().standard(commandHandlers: [AddEntryHandler.self], scoping: .perDispatch)
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()

        try await dispatcher.dispatch(AddEntry())
        try await dispatcher.dispatch(AddEntry())

        #expect(notes.all == ["session opened", "entry added", "session opened", "entry added"])
    }

    @Test func theMessagesOfARequestShareItsScope() async throws {
        let builder = builder
        builder.scoped { Session(notes: $0.resolve()) }
        builder.commandQueryDispatch().standard(commandHandlers: [AddEntryHandler.self])
        let container = builder.build()

        let scope = container.scope()
        let dispatcher: any CommandQueryDispatcher = scope.resolve()
        try await dispatcher.dispatch(AddEntry())
        try await dispatcher.dispatch(AddEntry())

        #expect(notes.all == ["session opened", "entry added", "entry added"])
    }
}
