//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The handlers of one type of event, which never change.
final class EventHandlers: Sendable {
    /// The handlers, by the time at which they run.
    struct Content: Sendable {
        var beforeCommit: [EventHandlerRoute] = []
        var afterCommit: [EventHandlerRoute] = []

        /// The durable handlers, with their subscriptions.
        var subscribed: [(subscription: String, handler: EventHandlerRoute)] = []
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }
}
