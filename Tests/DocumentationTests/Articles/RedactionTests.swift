// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector
import Testing

private struct ReserveSeat: Sendable {
    let seat: Int
}

private struct SeatReserved: Sendable {
    let seat: Int
}

private struct PostTransaction {
    let postings: [Int]
}

@Suite struct RedactionTests {
    private func makeConfiguration() -> InspectorConfiguration {
        var configuration = InspectorConfiguration()
        configuration.redaction.message = { message in
            (message as? PostTransaction).map { "\($0.postings.count) postings" }
        }
        configuration.redaction.failure = { text in text.contains("@") ? nil : text }
        return configuration
    }

    @Test func oneLineShowsTheListedTypes() {
        let inspector = Inspector(configuration: InspectorConfiguration(showing: ReserveSeat.self, SeatReserved.self))
        let redaction = Redaction(showing: ReserveSeat.self, SeatReserved.self)

        #expect(inspector.observer.isListening)
        #expect(redaction.message(PostTransaction(postings: [])) == nil)
    }

    @Test func onlySelectedContentIsShown() {
        let redaction = makeConfiguration().redaction

        #expect(redaction.message(PostTransaction(postings: [1, -1])) == "2 postings")
        #expect(redaction.message("secret") == nil)
        #expect(redaction.failure("The card has expired.") == "The card has expired.")
        #expect(redaction.failure("ada@example.com is unknown") == nil)
        #expect(redaction.identifier("customer", "7") == nil)
        #expect(redaction.property("Page", "text", "secret") == nil)
        #expect(redaction.storedMessage("card-charged", Data("{}".utf8)) == nil)
    }

    @Test func inDevelopmentAllContentCanBeShown() {
        var configuration = InspectorConfiguration()
        configuration.redaction = .disabled

        #expect(configuration.redaction.identifier("customer", "7") == "7")
    }
}
