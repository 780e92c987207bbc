// SPDX-License-Identifier: Apache-2.0

#if Simulations && Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage
import Synchronization
import Testing

/// Devices and servers in one simulation, with all of its faults.
@Suite struct DeviceSimulationTests {
    /// For a longer run, the variable HEADRACE_DEVICE_SEEDS names the first and the last seed, such as `2500-4999`.
    @Test func devicesThatEndAtAnyTimeEqualTheirServers() async {
        let text = ProcessInfo.processInfo.environment["HEADRACE_DEVICE_SEEDS"] ?? "0-11"
        let limits = text.split(separator: "-").compactMap { UInt64($0) }
        await Simulation.explore(seeds: limits[0]..<limits[1] + 1, entities: [Journal.self], limit: .seconds(300)) {
            world in
            try await Self.simulate(world)
        }
    }

    private static func simulate(_ world: SimulatedWorld) async throws {
        let servers = try await world.start("server", count: 2) { node in Journals.container(on: node.store) }
        let transport = SimulatedTransport(world: world, servers: servers)
        let stores = Mutex<[Int: InMemoryStore]>([:])
        try await world.clients(3) { number in
            var numbers = world.randomNumbers
            let store = try Device.makeStore()
            stores.withLock { $0[number] = store }
            for life in 1...3 {
                let device = try await Device(transport, on: store, backoff: Self.backoff)
                let running = Task { try await device.run() }
                for line in 1...4 {
                    let journal = Int.random(in: 0..<2, using: &numbers)
                    try await device.offline.send(AddLine(journal: "\(journal)", line: "\(number).\(life).\(line)"))
                    let isVisible = try await device.lines(of: "\(journal)").contains("\(number).\(life).\(line)")
                    world.expect(isVisible, "A sent line isn't visible.")
                    try await world.clock.sleep(for: .milliseconds(Int.random(in: 0..<2_000, using: &numbers)))
                }
                running.cancel()
                _ = await running.result
            }
        }
        world.endFaults()
        // A shortened run has fewer of them.
        let devices = stores.withLock { $0.sorted { $0.key < $1.key } }
        for (_, store) in devices {
            try await Self.run(on: store, through: transport) { device in
                for try await pending in device.offline.observePending() where pending.isEmpty { return }
            }
        }
        // From now on, a request that was on its way for a long time changes nothing, because each command was answered.
        let server = Journals.container(on: world.store).resolve((any CommandQueryDispatcher).self)
        let journals = try await server.dispatch(ListJournals())
        for (_, store) in devices {
            try await Self.run(on: store, through: transport) { device in
                for journal in journals { try await device.wait(for: journal.lines, of: journal.journal) }
            }
        }
        for journal in journals {
            for (number, _) in devices {
                let own = journal.lines.filter { $0.hasPrefix("\(number).") }
                world.expect(own == own.sorted(), "The lines \(own) have another order.")
            }
        }
        let all = journals.flatMap(\.lines)
        world.expect(Set(all).count == all.count, "A line was added twice: \(all.sorted())")
        let count = devices.count * 12
        world.expect(all.count == count, "\(all.count) of \(count) lines were added.")
    }

    /// Runs a device until `body` returns.
    private static func run(
        on store: InMemoryStore,
        through transport: SimulatedTransport,
        until body: (Device) async throws -> Void
    ) async throws {
        let device = try await Device(transport, on: store, backoff: backoff)
        let running = Task { try await device.run() }
        try await body(device)
        running.cancel()
        _ = await running.result
    }

    private static let backoff = Backoff(base: .milliseconds(100), longest: .seconds(5))
}

/// Sends requests to one of several servers.
///
/// A live query asks again and again.
private struct SimulatedTransport: MessageTransport {
    let world: SimulatedWorld
    let servers: [SimulatedNode<Container>]

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        guard let body else {
            let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])
            return TransportResponse(head, body: Values(transport: self))
        }
        let key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
        let command = try DocumentCoding.decode(AddLine.self, from: body)
        try await world.any(of: servers).request { container in
            try await IdempotencyMiddleware.withKey(key) {
                try await container.resolve((any CommandQueryDispatcher).self).dispatch(command)
            }
        }
        return TransportResponse(HTTPResponse(status: .noContent), body: Data())
    }

    private struct Values: AsyncSequence, Sendable {
        typealias Element = Data
        typealias Failure = any Error

        let transport: SimulatedTransport

        func makeAsyncIterator() -> Iterator { Iterator(transport: transport) }

        struct Iterator: AsyncIteratorProtocol {
            let transport: SimulatedTransport
            var last: [Lines]?

            mutating func next() async throws -> Data? {
                let world = transport.world
                while true {
                    let value = try await world.any(of: transport.servers).request { container in
                        try await container.resolve((any CommandQueryDispatcher).self).dispatch(ListJournals())
                    }
                    if value != last {
                        last = value
                        return Data("data: ".utf8) + (try JSONEncoder().encode(value)) + Data("\n\n".utf8)
                    }
                    try await world.clock.sleep(for: .milliseconds(200))
                }
            }
        }
    }
}
#endif
