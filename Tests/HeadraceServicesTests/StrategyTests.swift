// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

/// The order of services and their errors, as in the table of the article.
@Suite(.timeLimit(.minutes(2))) struct StrategyTests {
    private let journal = Journal()

    private func leaf(_ name: String, throwing error: TestFailure? = nil, after gate: Gate? = nil) -> Leaf {
        Leaf(name, journal, throwing: error, after: gate)
    }

    @Test func serialServicesRunInTheOrderWritten() async throws {
        let cluster = try await Bootstrap {
            Group {
                for number in 0..<20 { leaf("\(number)") }
            }
            .serial()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == (0..<20).map { "\($0)" })
    }

    @Test func concurrentServicesRunAtTheSameTime() async throws {
        let gate = Gate()
        let cluster = try await Bootstrap {
            for number in 0..<5 { leaf("\(number)", after: gate) }
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await gate.arrivals(5)
        #expect(journal.entries.isEmpty)
        gate.open()
        try await sending.value

        #expect(Set(journal.entries) == ["0", "1", "2", "3", "4"])
    }

    @Test func theNearestStrategyAppliesAtEveryDepth() async throws {
        let gate = Gate()
        let cluster = try await Bootstrap {
            Group {
                leaf("first")
                Group {
                    leaf("a", after: gate)
                    Group { leaf("b", after: gate) }
                }
                .concurrent()
                Group {
                    Group {
                        leaf("c")
                        leaf("d")
                    }
                    leaf("e")
                }
            }
            .serial()
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await gate.arrivals(2)
        #expect(journal.entries == ["first"])
        gate.open()
        try await sending.value

        #expect(Set(journal.entries[1...2]) == ["a", "b"])
        #expect(journal.entries.suffix(3) == ["c", "d", "e"])
    }

    @Test func anErrorEndsSerialServices() async throws {
        let cluster = try await Bootstrap {
            Group {
                leaf("a")
                leaf("b", throwing: TestFailure("b failed"))
                leaf("c")
            }
            .serial()
        }

        await #expect(throws: TestFailure("b failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["a", "b"])
    }

    @Test func anErrorLetsConcurrentServicesFinishAndIsThrownUnchanged() async throws {
        let gate = Gate()
        let cluster = try await Bootstrap {
            leaf("a", after: gate)
            leaf("b", throwing: TestFailure("b failed"))
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await journal.reaches(1)
        gate.open()

        await #expect(throws: TestFailure("b failed")) { try await sending.value }
        #expect(journal.entries == ["b", "a"])
    }

    @Test func allErrorsOfConcurrentServicesAreReportedInTheOrderWritten() async throws {
        let gate = Gate()
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed"), after: gate)
            Group {
                leaf("b", throwing: TestFailure("b failed"))
                leaf("c", throwing: TestFailure("c failed"))
            }
            .serial()
            leaf("d", throwing: TestFailure("d failed"))
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await journal.reaches(2)
        gate.open()

        let failures = await #expect(throws: ServiceFailures.self) { try await sending.value }
        let expected = [TestFailure("a failed"), TestFailure("b failed"), TestFailure("d failed")]
        #expect(failures?.errors as? [TestFailure] == expected)
        #expect(failures?.description == "3 services failed.\n- a failed\n- b failed\n- d failed")
        #expect(!journal.entries.contains("c"))
    }

    @Test func severalHandlersOfOneStoreRunInTheOrderWrittenAndTheFirstErrorEndsThem() async throws {
        let cluster = try await Bootstrap {
            Store(model: Journal.self)
                .mutate(on: Ping.self) { journal, _, _ in journal.note("1") }
                .mutate(on: Pong.self) { journal, _, _ in journal.note("pong") }
                .mutate(on: Ping.self) { journal, _, _ in
                    journal.note("2")
                    throw TestFailure("2 failed")
                }
                .mutate(on: Ping.self) { journal, _, _ in journal.note("3") }
                .with(model: journal)
        }

        await #expect(throws: TestFailure("2 failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["1", "2"])
    }

    @Test func anActionWithoutAHandlerIsIgnored() async throws {
        let cluster = try await Bootstrap { leaf("a") }

        try await cluster.send(action: Unheard())

        #expect(journal.entries.isEmpty)
    }

    @Test func anExistentialActionGoesToTheHandlersOfItsDynamicType() async throws {
        let cluster = try await Bootstrap { leaf("a") }

        let actions: [any Action] = [Unheard(), Ping()]
        for action in actions { try await cluster.send(action: action) }

        #expect(journal.entries == ["a"])
    }

    @Test func afterTheSenderIsCancelledNoFurtherServiceStarts() async throws {
        let gate = Gate()
        let cluster = try await Bootstrap {
            Group {
                leaf("a", after: gate)
                leaf("b")
            }
            .serial()
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await gate.arrivals(1)
        sending.cancel()
        gate.open()

        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(journal.entries == ["a"])
    }

    @Test func cancellingTheSenderCancelsConcurrentServicesAndThrowsOneError() async throws {
        let gate = Gate()
        let journal = journal
        let waiting = Store(model: Journal.self)
            .mutate(on: Ping.self) { _, _, _ in
                await gate.pass()
                await untilCancelled()
                try Task.checkCancellation()
            }
            .with(model: journal)
        gate.open()
        let cluster = try await Bootstrap {
            waiting
            waiting
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await gate.arrivals(2)
        sending.cancel()

        await #expect(throws: CancellationError.self) { try await sending.value }
    }

    @MainActor
    @Test func serialServicesStayOnTheActorOfTheSender() async throws {
        let journal = journal
        let isolated = Store(model: Journal.self)
            .mutate(on: Ping.self) { journal, _, _ in
                MainActor.assertIsolated()
                journal.note("object")
            }
            .mutate(on: Pong.self) { journal, _, _ in
                MainActor.assertIsolated()
                journal.note("sent")
                throw TestFailure("transformed")
            }
            .with(model: journal)
        let cluster = try await Bootstrap {
            Group {
                isolated
                isolated
                Store(model: Counter.self)
                    .mutate(on: Ping.self) { model, _, send in
                        MainActor.assertIsolated()
                        journal.note("value")
                        try await send(Pong())
                        MainActor.assertIsolated()
                    }
                    .observe(on: Ping.self) { _, _ in MainActor.assertIsolated() }
                    .with(model: Counter())
                MainActorReader(journal: journal)
            }
            .serial()
            .pre { _ in MainActor.assertIsolated() }
            .post { _ in MainActor.assertIsolated() }
            .transformError { _ in Recovery(name: "") }
            .observe(on: Recovery.self) { _ in
                MainActor.assertIsolated()
                journal.note("recovered")
            }
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["object", "object", "value", "sent", "recovered", "environment"])
    }
}

private struct MainActorReader: Service {
    @Environment(\.send) private var send
    let journal: Journal

    var body: some Service {
        Store(model: Journal.self)
            .mutate(on: Ping.self) { journal, _, _ in
                MainActor.assertIsolated()
                try await send(Unheard())
                journal.note("environment")
            }
            .with(model: journal)
    }
}
