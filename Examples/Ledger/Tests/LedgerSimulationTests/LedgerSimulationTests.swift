// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Headrace
import HeadraceSimulation
import LedgerApplication
import Testing

@Suite(.serialized) struct LedgerSimulationTests {
    @Test func threeServersKeepTheBooksUnderAllFaults() async {
        await SimulationSettings.run(entities: LedgerComposition.entities) { world in
            try await LedgerWorld.simulate(world)
        }
    }

    @Test func aCourierKeepsItsScheduleAndItsOrderUnderFaults() async {
        await SimulationSettings.run(entities: Courier.entities, faults: CourierWorld.faults) { world in
            try await CourierWorld.simulate(world)
        }
    }
}
#endif
