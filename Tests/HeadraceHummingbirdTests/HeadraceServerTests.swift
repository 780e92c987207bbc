// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HeadraceHummingbird
import HeadraceTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct HeadraceServerTests {
    private final class Events: Sendable {
        let all = Mutex<[String]>([])

        func add(_ event: String) { all.withLock { $0.append(event) } }
    }

    private struct Recorded: Service {
        let name: String
        let events: Events
        let started: Gate

        func run() async throws {
            await started.pass()
            try await gracefulShutdown()
            events.add("\(name) ended")
        }
    }

    private struct Failing: Service {
        struct Failure: Error {}

        func run() async throws { throw Failure() }
    }

    @Test func theApplicationEndsFirstAndTheStoreIsClosedLast() async throws {
        let events = Events()
        let started = Gate()
        let server = HeadraceServer(
            services: [
                Recorded(name: "relay", events: events, started: started),
                Recorded(name: "cluster", events: events, started: started),
            ],
            application: Recorded(name: "application", events: events, started: started),
            signals: []
        ) { events.add("store closed") }
        let group = ServiceGroup(configuration: .init(services: [server], logger: .current))

        async let run: Void = group.run()
        await started.arrivals(3)
        started.open()
        await group.triggerGracefulShutdown()
        try await run

        #expect(
            events.all.withLock(\.self) == ["application ended", "cluster ended", "relay ended", "store closed"])
    }

    @Test func theStoreIsClosedIfAServiceFails() async throws {
        let events = Events()
        let server = HeadraceServer(application: Failing(), signals: []) { events.add("store closed") }

        await #expect(throws: Failing.Failure.self) { try await server.run() }

        #expect(events.all.withLock(\.self) == ["store closed"])
    }
}
#endif
