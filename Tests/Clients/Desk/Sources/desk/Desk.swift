// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceServices
import HeadraceStations

@main
struct Desk {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let store = try SQLiteStore(path: "desk.sqlite", entities: [Book.self])
        let container = try makeContainer(store: store)
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        let intake = Intake(scope: container)
        try await intake.dispatch(Shelve(title: "Emma"))
        try await intake.dispatch(Shelve(title: "Ulysses"))
        let newest = try await dispatcher.dispatch(GetBooks()).count

        let station = ActorStation(initialState: DeskScreen.State()) {
            DeskScreen(dispatcher: dispatcher)
        }
        let cluster = try await Bootstrap { DeskServices(store: store, station: station) }
        let relay: Relay = container.resolve()

        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }

            try await station.pour(.lendTapped(book: "\(newest)", reader: "Ada")).finish()
            try await station.pour(.lendTapped(book: "\(newest)", reader: "Bea")).finish()
            print(await station.message)

            for await state in await station.states() where !state.loans.isEmpty {
                print(state.loans)
                break
            }
            for await letter in container.resolve(Letters.self).sent {
                print(letter)
                break
            }

            relay.shutDown()
            try await group.waitForAll()
        }
        await cluster.shutDown()
        print(try await dispatcher.dispatch(GetBooks()))
    }
}
