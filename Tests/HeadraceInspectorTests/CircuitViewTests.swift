// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceInspector
import HeadraceResilience
import HeadraceTesting
import Testing

@Suite struct CircuitViewTests {
    private struct Circuit: Decodable, Equatable {
        let name: String
        let state: String
    }

    private struct Outage: Error {}

    @Test(arguments: [false, true])
    func circuitsAreListedWithTheirStates(showsNames: Bool) async throws {
        let clock = TestClock()
        let breaker = CircuitBreakerMiddleware(
            failures: 1, pause: .seconds(30), per: .key { $0 as? String }, clock: clock)
        var configuration = InspectorConfiguration()
        if showsNames { configuration.redaction = .disabled }
        let inspector = Inspector(configuration: configuration)
        let client = Client(InspectorRoutes(inspector))
        #expect(try await client.get("/api/circuits").read() == [Circuit]())
        inspector.show(breaker)

        let chain = MiddlewareChain(middleware: [breaker], clock: clock)
        for name in ["south", "north"] {
            await #expect(throws: Outage.self) { try await chain.run(name, kind: .command) { _ in throw Outage() } }
        }
        clock.advance(by: .seconds(30))
        try await chain.run("north", kind: .command) { _ in }

        #expect(
            try await client.get("/api/circuits").read() == [
                Circuit(name: showsNames ? "north" : "circuit 1", state: "closed"),
                Circuit(name: showsNames ? "south" : "circuit 2", state: "open"),
            ]
        )
    }
}
