// SPDX-License-Identifier: Apache-2.0

#if Lifecycle
import HeadraceDomain
import HeadraceRelay
import HeadraceTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing

/// The relay as a service of a program.
@Suite(.timeLimit(.minutes(2))) struct RelayServiceTests {
    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Mail.self)
    }

    @Test func aGracefulShutdownFinishesHandlersAndReleasesTheRest() async throws {
        bench.desk.script { [desk = bench.desk] _, event in
            if event.amount == 1 {
                desk.note("begun")
                // The relay was notified before, because it registered first.
                try await gracefulShutdown()
            }
        }
        try await bench.deposit(1, 2)
        let group = ServiceGroup(services: [bench.relay()], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        await bench.desk.wait(for: 1, "begun")

        await group.triggerGracefulShutdown()
        try await running.value

        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") } == ["mail 1"])
        let next = bench.relay()
        try await withRelay(next) { await bench.desk.wait(for: 1, "mail 2") }
        // The second delivery was leased with the first, and released without counting an attempt.
        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") } == ["mail 1", "mail 2"])
    }

    @Test func aRelayThatCannotStartEndsTheGroupWithItsError() async throws {
        let relay = bench.relay { $0.idempotencyRetention = .seconds(1) }
        let group = ServiceGroup(services: [relay], logger: Logger(label: "test"))

        let error = await #expect(throws: RelayError.self) { try await group.run() }

        #expect(error?.code == .retentionTooShort)
    }
}
#endif
