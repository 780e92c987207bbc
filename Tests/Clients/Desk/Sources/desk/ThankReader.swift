//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

struct ThankReader: DurableDomainEventHandler {
    static let subscriptionName = "thanks"

    static func handle(event: BookLent, resolver: any DependencyResolver) async throws {
        try resolver.require(Letters.self).send("Enjoy '\(event.title)', \(event.reader)!")
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
