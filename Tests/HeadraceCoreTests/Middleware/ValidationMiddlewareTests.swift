// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MiddlewareTestSupport
import Testing

@Suite struct ValidationMiddlewareTests {
    private let handling = Handling(ValidationMiddleware())

    @Test func aValidMessageIsHandled() async throws {
        let order = PlaceOrder(customer: "Ada", lines: [.init(quantity: 1)])

        #expect(try await handling.handle(order) { $0.customer } == "Ada")
    }

    @Test func aMessageThatIsNotValidatablePassesThrough() async throws {
        #expect(try await handling.handle(Ping()) { _ in 1 } == 1)
    }

    @Test func allFailuresAreReportedInTheOrderOfTheChecks() async throws {
        let order = PlaceOrder(customer: "", lines: [.init(quantity: 1), .init(quantity: 0, notes: ["", "x"])])

        let error = try await #require(throws: MessageValidationError.self) {
            try await handling.handle(order) { _ in Issue.record("It was handled.") }
        }

        #expect(
            error.failures == [
                .init(path: "customer", text: "must not be empty"),
                .init(path: "lines[1].quantity", text: "must be 1 or more, not 0"),
                .init(path: "lines[1].notes[0]", text: "must not be empty"),
                .init(path: "lines[1]", text: "must be worth it"),
                .init(path: "", text: "must be complete"),
            ]
        )
        #expect(error.messageType == "HeadraceCoreTests.PlaceOrder")
        #expect(
            error.description == """
                'HeadraceCoreTests.PlaceOrder' is invalid, so it wasn't handled: customer: must not be empty; \
                lines[1].quantity: must be 1 or more, not 0; lines[1].notes[0]: must not be empty; \
                lines[1]: must be worth it; must be complete. To fix, correct these fields and send it again.
                """
        )
        #expect(error.codeName == "invalid")
    }

    @Test func theTextOfAFulfilledRequirementIsNotEvaluated() {
        func text() -> String {
            Issue.record("It was made.")
            return ""
        }
        var validation = Validation()

        validation.require(true, "field", text())

        #expect(validation.failures.isEmpty)
    }

    @Test @MainActor func theHandlerStaysOnTheCallersActorWithANonSendableOutput() async throws {
        let answer = Answer("yes")

        let returned = try await handling.onMainActor.handle(PlaceOrder(customer: "Ada", lines: [])) { _ in
            MainActor.assertIsolated()
            return answer
        }

        #expect(returned === answer)
    }
}

struct PlaceOrder: Validatable, Sendable {
    var customer: String
    var lines: [Line]

    struct Line: Validatable, Sendable {
        var quantity: Int
        var notes: [String] = []

        func validate(_ validation: inout Validation) {
            validation.require(quantity > 0, "quantity", "must be 1 or more, not \(quantity)")
            for (index, note) in notes.enumerated() {
                validation.validate(Note(text: note), at: "notes[\(index)]")
            }
            if quantity == 0 { validation.fail("", "must be worth it") }
        }
    }

    private struct Note: Validatable {
        var text: String

        func validate(_ validation: inout Validation) {
            validation.require(!text.isEmpty, "", "must not be empty")
        }
    }

    func validate(_ validation: inout Validation) {
        validation.require(!customer.isEmpty, "customer", "must not be empty")
        for (index, line) in lines.enumerated() {
            validation.validate(line, at: "lines[\(index)]")
        }
        if customer.isEmpty { validation.fail("", "must be complete") }
    }
}
