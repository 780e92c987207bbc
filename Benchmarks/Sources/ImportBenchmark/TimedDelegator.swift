// SPDX-License-Identifier: Apache-2.0

import Headrace

/// Delivers events through the delegator of other books, and measures the time.
struct TimedDelegator: DomainEventDelegator {
    /// A strong reference, because the delegator resolves from this container.
    private let books: Container

    private let base: any DomainEventDelegator
    private let laps: Laps

    init(of books: Container, laps: Laps) {
        self.books = books
        base = books.resolve()
        self.laps = laps
    }

    nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        laps.begin(.beforeCommit, insteadOf: .changeSet)
        try await base.handleBeforeCommit(event, in: context)
        // The next phase begins here, unless another event follows.
        laps.begin(.changeSet)
    }

    func subscriptions(to event: any DomainEvent) -> [String] {
        base.subscriptions(to: event)
    }

    nonisolated(nonsending) func handleAfterCommit(_ event: any DomainEvent, exceptFor subscriptions: [String]) async {
        laps.begin(.afterCommit)
        await base.handleAfterCommit(event, exceptFor: subscriptions)
    }
}
