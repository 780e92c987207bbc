// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import InMemoryLogging
import Logging
import Testing

@Suite struct HandlerCatalogTests {
    @Test func itListsEachMessageWithItsHandlersInOrder() {
        let catalog = HandlerCatalog(
            commandHandlers: [NoteHandler.self, OtherNoteHandler.self],
            queryHandlers: [ReadNotesHandler.self],
            streamHandlers: [NothingHandler.self]
        )

        #expect(catalog.entries.map(\.listName) == ["commandHandlers", "queryHandlers", "streamHandlers"])
        #expect(
            catalog.entries.map { ObjectIdentifier($0.message) }
                == identifiers(Note.self, ReadNotes.self, GetNothing.self))
        #expect(
            catalog.entries[0].handlers.map { ObjectIdentifier($0) }
                == identifiers(NoteHandler.self, OtherNoteHandler.self)
        )
        #expect(catalog.duplicates.map { ObjectIdentifier($0.message) } == identifiers(Note.self))
    }

    @Test func registeringADuplicateHandlerLogsWhichAndWhatToDo() {
        let handler = InMemoryLogHandler()

        withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            _ = container(commandHandlers: [NoteHandler.self, OtherNoteHandler.self])
        }

        #expect(
            handler.entries == [
                InMemoryLogHandler.Entry(
                    level: .warning,
                    message: """
                        A message has several handlers; the last one handles it. To fix, remove the others from the \
                        list.
                        """,
                    metadata: [
                        "headrace.message": "HeadraceCommandsTests.Note",
                        "headrace.list": "commandHandlers",
                        "headrace.handlers": [
                            "HeadraceCommandsTests.NoteHandler", "HeadraceCommandsTests.OtherNoteHandler",
                        ],
                    ]
                )
            ]
        )
    }

    @Test func registeringEachHandlerOnceLogsNothing() {
        let handler = InMemoryLogHandler()

        withLogger(Logger(label: "test", factory: { _ in handler })) { _ in
            _ = container(commandHandlers: [NoteHandler.self], queryHandlers: [ReadNotesHandler.self])
        }

        #expect(handler.entries.isEmpty)
    }

    private func identifiers(_ types: Any.Type...) -> [ObjectIdentifier] {
        types.map { ObjectIdentifier($0) }
    }
}

final class OtherNoteHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Note) async throws {}
}

private final class NothingHandler: HandlesStreamQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetNothing) async throws -> QueryStream<Never> { QueryStream { nil } }
}
