// SPDX-License-Identifier: Apache-2.0

import Headrace

@Resolvable
final class AnnounceCompletion: HandlesDurableDomainEvent {
    static let subscriptionName = "announcements"

    private let announcer: Announcer

    func handle(_ event: ToDoCompleted) async throws {
        announcer.announce("Completed: \(event.title)")
    }
}

struct Announcer: Sendable {
    let announce: @Sendable (String) -> Void
}
