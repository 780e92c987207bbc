// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf
import Testing

#if hasFeature(NonisolatedNonsendingByDefault)
#error("These targets have the default settings.")
#endif

@Suite(.timeLimit(.minutes(1))) @MainActor struct DefaultSettingsTests {
    @Test func annotatedHelpersOfAHandlerRunOnTheCallersActor() async throws {
        let loan = try await Loan(
            commandHandlers: [LendBookHandler.self, ClearScreenHandler.self],
            queryHandlers: [GetReaderHandler.self, GetScreenHandler.self],
            eventHandlers: [CountLoan.self, ShowLoan.self]
        )

        #expect(
            loan
                == Loan(
                    description: "Ulysses is lent to Ada, who has 1 loan",
                    screen: ["Ada has Ulysses"],
                    wasOnMainActor: [true, true, true]
                )
        )
    }
}
