// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

@Suite struct DispatchErrorTests {
    @Test func aCommandWithoutAHandlerIsNamedWithTheFix() async throws {
        let dispatcher: any CommandQueryDispatcher = container(queryHandlers: [ReadNotesHandler.self]).resolve()

        let error = await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(Note(text: "one")) }

        #expect(error?.code == .noHandler)
        #expect(
            error?.message == """
                No handler is registered for 'HeadraceCommandsTests.Note'. To fix, add the type that handles it to \
                'commandHandlers: […]' of 'commandQueryDispatch().standard(…)'.
                """
        )
    }

    @Test func aQueryWithoutAHandlerIsNamedWithTheFix() async throws {
        let dispatcher: any CommandQueryDispatcher = container(commandHandlers: [NoteHandler.self]).resolve()

        let error = await #expect(throws: DispatchError.self) { _ = try await dispatcher.dispatch(ReadNotes()) }

        #expect(error?.code == .noHandler)
        #expect(
            error?.message == """
                No handler is registered for 'HeadraceCommandsTests.ReadNotes'. To fix, add the type that handles it to \
                'queryHandlers: […]' of 'commandQueryDispatch().standard(…)'.
                """
        )
    }

    @Test func itPrintsItsMessage() async throws {
        let dispatcher: any CommandQueryDispatcher = container().resolve()

        let error = try #require(
            await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(Note(text: "one")) }
        )

        #expect(error.code.description == "noHandler")
        #expect("\(error)" == error.message)
    }
}
