// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Headrace
import HeadraceSimulation
import HeadraceStorage

/// Three servers of the courier on one database, their clients, and an operator who restarts the servers.
struct CourierWorld: Sendable {
    /// A handler that began before a pause ends after it, in any order with the handlers of other servers.
    static var faults: SimulatedFaults {
        var faults = SimulatedFaults.all
        faults.pauseInterval = nil
        return faults
    }

    private static let roundCount = 4

    let world: SimulatedWorld
    let servers: [SimulatedNode<Container>]
    let watch: CourierWatch

    /// Runs the courier with `clientCount` clients.
    static func simulate(_ world: SimulatedWorld, clients clientCount: Int = 6) async throws {
        let watch = CourierWatch { [weak world] in world?.fail($0) }
        let servers = try await world.start("server", count: 3) { node in
            try Courier.makeContainer(on: node.store, watch: watch)
        }
        let courier = CourierWorld(world: world, servers: servers, watch: watch)
        try await world.clients(clientCount) { number in
            if number == 1 {
                try await courier.restartServers()
            } else {
                try await courier.runClient("parcel \(number)")
            }
        }
        try await courier.check(parcels: clientCount)
    }

    // MARK: Clients

    private func runClient(_ parcel: String) async throws {
        try await send(LandParcel(parcel: "crate of \(parcel)"))
        for round in 1...Self.roundCount {
            var numbers = world.randomNumbers
            try await world.clock.sleep(for: .milliseconds(Int.random(in: 500...4_000, using: &numbers)))
            try await send(ScanParcel(parcel: parcel, round: round))
            // It isn't sent again.
            _ = try? await world.any(of: servers).request { [watch] container in
                watch.count("\(parcel) arrives")
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(InspectParcel(parcel: parcel))
            }
        }
    }

    /// Ends the relay of a server before it restarts the server, as a deployment does.
    private func restartServers() async throws {
        for _ in 1...Self.roundCount {
            try await world.clock.sleep(for: .seconds(3))
            let server = world.any(of: servers)
            _ = try? await server.request(timeout: .seconds(120)) { [world] container in
                let relay: Relay = container.resolve()
                relay.shutDown()
                // Longer than each request to the store, and than each handler.
                for _ in 0..<600 where relay.isRunning { try await world.clock.sleep(for: .milliseconds(100)) }
                world.expect(!relay.isRunning, "A relay that was shut down still runs after a minute.")
            }
            server.kill()
            server.start()
        }
    }

    /// Sends a command to any of the servers, again and again until it is answered.
    private func send<Command: CQDCommand & Sendable>(_ command: Command) async throws where Command.Output == Void {
        while true {
            do {
                return try await world.any(of: servers).request { container in
                    try await container.resolve((any CommandQueryDispatcher).self).dispatch(command)
                }
            } catch {
                try await world.clock.sleep(for: .milliseconds(500))
            }
        }
    }

    // MARK: Checks

    private func check(parcels clientCount: Int) async throws {
        try await world.eventually("each scan is tracked") { store in
            let context = EntityContext(store)
            let scans = try await context.fetch(Parcel.self).filter { $0.scanCount > 0 }.map { [$0.id: $0.scanCount] }
            let tracks = try await context.fetch(ParcelTrack.self).map { [$0.id: $0.last] }
            return scans == tracks
        }
        try await world.eventually("each collection has happened") { store in
            let times = try await EntityContext(store).fetch(Collection.self).map(\.id).sorted()
            return !times.isEmpty && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == Courier.interval }
        }
        for collection in try await EntityContext(world.store).fetch(Collection.self) where collection.count != 1 {
            world.fail("The collection at \(collection.id) has happened \(collection.count) times.")
        }
        for number in 1...clientCount {
            let (arrivals, inspections) = (watch["parcel \(number) arrives"], watch["parcel \(number) is inspected"])
            world.expect(
                inspections <= arrivals,
                "'parcel \(number)' has arrived \(arrivals) times, and was inspected \(inspections) times.")
        }
        try await checkSlowHandler()
        let letters = try await world.store.deadLetters(after: 0, of: nil, limit: .max)
        world.expect(letters.isEmpty, "There are dead letters: \(letters).")
    }

    /// A handler that takes longer than a lease takes effect once, and without faults it runs once.
    private func checkSlowHandler() async throws {
        try await send(LandParcel(parcel: "piano"))
        try await world.eventually("each landed parcel is weighed") { store in
            let context = EntityContext(store)
            let landed = try await context.fetch(Parcel.self).filter { $0.scanCount == 0 }.map(\.id)
            return landed == (try await context.fetch(ParcelWeight.self).map(\.id))
        }
        let count = watch["piano is being weighed"]
        world.expect(count == 1, "The piano was weighed \(count) times, although nothing failed.")
        for weight in try await EntityContext(world.store).fetch(ParcelWeight.self) where weight.count != 1 {
            world.fail("The weight of the \(weight.id) was stored \(weight.count) times.")
        }
    }
}
#endif
