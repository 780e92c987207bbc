// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSimulation
import HeadraceStations
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct StationTests {
    @Test func theSeedOrdersTheEffectsOfATestStation() async {
        let orders = Notes<[Int]>()
        for _ in 1...2 {
            await Simulation.explore(seeds: 10..<70, entities: [], faults: .none) { world in
                let order = Notes<Int>()
                let station = TestStation(initialState: Race.State(), exhaustivity: .off) { Race(order: order) }
                await station.pour(.start)
                await station.finish()
                orders.add(order.values)
            }
        }
        #expect(Set(orders.values).count == 6)
        #expect(orders.values.count == 126)
        #expect(orders.values.prefix(63).elementsEqual(orders.values.suffix(63)))
    }

    @Test func anIssueOfATestStationIsAViolation() async {
        let (_, failure) = await Simulation.search(seeds: 0..<200, entities: [], faults: .none) { _ in
            let station = TestStation(initialState: Race.State()) { Race(order: Notes()) }
            await station.pour(.start)
            await station.receive(.arrived(1)) { $0.winner = 2 }
            await station.finish()
        }
        #expect(failure?.reasons.contains { $0.contains("StationTests.swift") } == true, "\(failure?.reasons ?? [])")
    }

    @Test func theSeedOrdersTheDeliveriesOfATestRelay() async {
        let orders = Notes<[String]>()
        await Simulation.explore(seeds: 0..<40, entities: Bank.entities, faults: .none) { world in
            let mailer = OrderedMailer()
            let container = Bank.makeContainer(store: world.store, mailer: mailer)
            let dispatcher: any CommandQueryDispatcher = container.resolve()
            try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(world.store)).execute {
                for id in ["a", "b", "c"] { $0.insert(BankAccount(id: id, cents: 100)) }
            }
            try await TestRelay.run(container.resolve()) { relay in
                try await dispatcher.dispatch(Transfer(id: "1", from: "a", to: "c", cents: 1))
                try await dispatcher.dispatch(Transfer(id: "2", from: "b", to: "c", cents: 2))
                try await relay.untilIdle()
                try await relay.advance(by: .seconds(3_600))
            }
            world.expect(mailer.sent.values.count == 2, "\(mailer.sent.values)")
            orders.add(mailer.sent.values)
        }
        #expect(Set(orders.values).count == 2)
    }

    @Test func codeOfTheMainActorRunsInASimulation() async {
        await Simulation.explore(seeds: 0..<20, entities: [], faults: .none) { world in
            let builder = ContainerBuilder()
            builder.transient(on: MainActor.self) { Screen() }
            let container = builder.build()
            let text = await MainActor.run {
                MainActor.assumeIsolated {
                    let screen: Screen = container.resolve()
                    return screen.text
                }
            }
            world.expect(text == "ready", text)
        }
    }
}

private struct Race: Dripper {
    struct State: Equatable, Sendable {
        var winner = 0
    }

    enum Action: Equatable, Sendable {
        case start
        case arrived(Int)
    }

    let order: Notes<Int>

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .start:
                return .merge(
                    [1, 2, 3].map { number in
                        .run { pour in
                            await Task.yield()
                            order.add(number)
                            pour(.arrived(number))
                        }
                    })
            case .arrived(let number):
                state.winner = number
                return .none
            }
        }
    }
}

/// Sends mails in two steps, so that deliveries can overtake each other.
private struct OrderedMailer: BankMailer {
    let sent = Notes<String>()

    func send(_ text: String, key: String) async throws {
        await Task.yield()
        sent.add(key)
    }
}

@MainActor private final class Screen {
    let text = "ready"
}
#endif
