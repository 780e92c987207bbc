// SPDX-License-Identifier: Apache-2.0

/// The handlers of one type of event, which never change.
final class EventHandlers: Sendable {
    /// The handlers, by the time at which they run.
    struct Content: Sendable {
        var beforeCommit: [EventHandlerRoute] = []
        var afterCommit: [EventHandlerRoute] = []

        /// The durable handlers, with their subscriptions.
        var subscribed: [(subscription: String, handler: EventHandlerRoute)] = []

        /// The handler at `index` of those after the commit, followed by the durable ones; `nil` if it has one of
        /// `subscriptions`.
        func handlerAfterCommit(at index: Int, exceptFor subscriptions: [String]) -> EventHandlerRoute? {
            if index < afterCommit.count { return afterCommit[index] }
            let (subscription, handler) = subscribed[index - afterCommit.count]
            return subscriptions.contains(subscription) ? nil : handler
        }
    }

    let content: Content

    init(_ content: Content) {
        self.content = content
    }
}
