// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore
import HeadraceDomain
import Testing

@testable import HeadraceClient

/// The decisions about values of the server, one after the other.
@Suite struct OutboxStateTests {
    private let notes = UUID()
    private let folders = UUID()
    private let command = UUID()
    private var state = OutboxState()

    init() {
        state.register(notes)
        state.register(folders)
    }

    private enum Summary: Equatable {
        case stores(values: Int, included: Set<UUID>)
        case waits(hasArrived: Bool)
        case drops
    }

    private mutating func decide(
        of replica: UUID, _ ticket: OutboxState.Ticket, isFirst: Bool = true, hasArrived: Bool = false
    ) -> Summary {
        switch state.decide({ _ in }, of: replica, ticket, isFirst: isFirst, hasArrived: hasArrived) {
        case .store(let values, let included): .stores(values: values.count, included: included)
        case .wait(let hasArrived): .waits(hasArrived: hasArrived)
        case .drop: .drops
        }
    }

    /// Sends the command, and returns the ticket of connections that begin after its acknowledgement.
    private mutating func acknowledge() -> OutboxState.Ticket {
        state.begin([command])
        state.acknowledged.insert(command)
        state.end(command)
        return state.ticket
    }

    @Test mutating func withoutCommandsAValueIsStoredAlone() {
        #expect(decide(of: notes, state.ticket) == .stores(values: 1, included: []))
        #expect(decide(of: folders, state.ticket, isFirst: false) == .stores(values: 1, included: []))
    }

    @Test mutating func aValueWaitsWhileACommandIsOnItsWay() {
        let before = state.ticket
        state.begin([command])

        #expect(decide(of: notes, before) == .waits(hasArrived: false))
        #expect(decide(of: notes, state.ticket) == .waits(hasArrived: false))
    }

    @Test mutating func aValueWithoutACertainEffectIsDropped() {
        let before = state.ticket
        _ = acknowledge()

        #expect(decide(of: notes, before, isFirst: false) == .drops)
    }

    @Test mutating func theValuesOfAllReplicasAreStoredTogether() {
        let after = acknowledge()

        #expect(decide(of: notes, after) == .waits(hasArrived: true))
        #expect(decide(of: folders, after) == .stores(values: 2, included: [command]))
        #expect(decide(of: notes, after, hasArrived: true) == .drops)
    }

    @Test mutating func aReplicaThatHasEndedIsNotWaitedFor() {
        let after = acknowledge()
        #expect(decide(of: notes, after) == .waits(hasArrived: true))

        state.unregister(folders)

        #expect(decide(of: notes, after, hasArrived: true) == .stores(values: 1, included: [command]))
    }

    @Test mutating func aNewCommandMakesArrivedValuesWait() {
        let after = acknowledge()
        #expect(decide(of: notes, after) == .waits(hasArrived: true))

        state.begin([UUID()])

        #expect(decide(of: notes, after, hasArrived: true) == .drops)
        #expect(decide(of: folders, after) == .waits(hasArrived: false))
    }

    @Test mutating func replicasThatNeedLongerHaveMoreTime() {
        let now = ContinuousClock.now
        _ = acknowledge()
        func seconds(_ state: inout OutboxState) -> [Int64] {
            (1...5).compactMap { _ in
                state.refresh(at: now)
                return state.refreshEnd.map { now.duration(to: $0).components.seconds }
            }
        }

        #expect(seconds(&state) == [5, 10, 20, 40, 40])
        state.remove(acknowledged: [command])
        _ = acknowledge()
        #expect(seconds(&state) == [5, 10, 20, 40, 40])
    }

    @Test mutating func onlyCommandsThatAllValuesIncludeLeaveThePrediction() {
        let after = acknowledge()
        #expect(decide(of: notes, after) == .waits(hasArrived: true))
        let (first, second) = (command, UUID())
        state.acknowledged.insert(second)

        #expect(decide(of: folders, state.ticket) == .stores(values: 2, included: [first]))
    }
}
#endif
