// SPDX-License-Identifier: Apache-2.0

import Headrace

@Resolvable
final class ThankReader: HandlesDurableDomainEvent {
    static let subscriptionName = "thanks"

    private let letters: Letters

    func handle(_ event: BookLent) async throws {
        letters.send("Enjoy '\(event.title)', \(event.reader)!")
    }
}

final class Letters: Sendable {
    let sent: AsyncStream<String>
    private let outbox: AsyncStream<String>.Continuation

    init() {
        (sent, outbox) = AsyncStream.makeStream()
    }

    func send(_ letter: String) {
        outbox.yield(letter)
    }
}
