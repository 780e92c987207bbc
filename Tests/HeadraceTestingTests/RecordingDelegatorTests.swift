// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceTesting
import Testing

@Suite struct RecordingDelegatorTests {
    @Test func itRecordsEventsBeforeAndAfterTheCommitInOrder() async throws {
        let delegator = RecordingDelegator()

        try await UnitOfWork(delegator: delegator, context: StubContext()).execute { context in
            for number in 1...3 { context.entity.raiseEvent(Counted(number: number)) }
        }

        #expect(delegator.eventsBeforeCommit.compactMap { ($0 as? Counted)?.number } == [1, 2, 3])
        #expect(delegator.eventsAfterCommit.compactMap { ($0 as? Counted)?.number } == [1, 2, 3])
    }

    @Test func aRejectedEventIsRecordedAndRollsTheUnitOfWorkBack() async throws {
        struct Rejected: Error {}
        let context = StubContext()
        let delegator = RecordingDelegator { event in
            if (event as? Counted)?.number == 2 { throw Rejected() }
        }

        await #expect(throws: Rejected.self) {
            try await UnitOfWork(delegator: delegator, context: context).execute { context in
                for number in 1...3 { context.entity.raiseEvent(Counted(number: number)) }
            }
        }

        #expect(delegator.eventsBeforeCommit.count == 2)
        #expect(delegator.eventsAfterCommit.isEmpty)
        #expect(context.outcomes == ["rolled back"])
    }
}

private struct Counted: DomainEvent {
    let number: Int
}

/// A context without a store that collects the events of a single entity.
private final class StubContext: DomainContext {
    final class Entity: HasDomainEvents {
        var raisedEvents = RaisedEvents()
    }

    let entity = Entity()
    private(set) var outcomes: [String] = []

    func takeEvents() -> [CollectedEvent] { CollectedEvent.take(from: [entity]) }

    nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws {
        outcomes.append("committed \(events.count)")
    }

    func rollback() {
        outcomes.append("rolled back")
    }
}
