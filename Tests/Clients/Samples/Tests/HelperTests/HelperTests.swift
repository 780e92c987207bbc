// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf
import Testing

@Suite(.timeLimit(.minutes(1))) @MainActor struct HelperTests {
    @Test func helpersOfAHandlerRunOnTheCallersActor() async throws {
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
