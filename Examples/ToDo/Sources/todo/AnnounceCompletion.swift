//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
