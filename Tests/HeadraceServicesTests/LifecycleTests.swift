// SPDX-License-Identifier: Apache-2.0

#if Lifecycle
import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Logging
import ServiceLifecycle
import Testing

/// A service that ends when its gate opens, and then ends its group.
private struct EndingService: ServiceLifecycle.Service {
    let gate: Gate

    func run() async throws { await gate.pass() }
}

/// A cluster as a service of swift-service-lifecycle.
@Suite(.timeLimit(.minutes(2))) struct LifecycleTests {
    private let journal = Journal()

    private func group(_ cluster: Bootstrap, endingAfter gate: Gate) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: cluster),
                    .init(service: EndingService(gate: gate), successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
        )
    }

    @Test func aClusterRunsUntilAGracefulShutdownAndDrainsItsEmitters() async throws {
        let gate = Gate()
        let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
        let cluster = try await Bootstrap {
            Leaf("a", journal, after: gate).emit(using: stream)
        }
        for _ in 0..<3 { continuation.yield(Ping()) }

        async let run: Void = group(cluster, endingAfter: gate).run()
        await gate.arrivals(2)
        gate.open()
        try await run

        #expect(journal.entries == ["a", "a", "a"])
    }

    @Test func cancellingTheRunStopsTheEmitters() async throws {
        let ended = Gate()
        let (stream, continuation) = AsyncStream.makeStream(of: Ping.self)
        continuation.onTermination = { _ in ended.open() }
        let cluster = try await Bootstrap { Leaf("a", journal).emit(using: stream) }

        let run = Task { try await cluster.run() }
        run.cancel()

        await #expect(throws: CancellationError.self) { try await run.value }
        await ended.pass()
    }
}
#endif
