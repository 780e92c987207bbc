// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import Testing

private struct ConditionalService: Service {
    let journal: Journal
    let number: Int
    var extra: String?

    var body: some Service {
        if number > 10 { Leaf("great", journal) }
        if number.isMultiple(of: 2) {
            Leaf("even", journal)
        } else {
            Leaf("odd", journal)
        }
        switch number {
        case 1: Leaf("one", journal)
        case 2: Leaf("two", journal)
        default: Group {}
        }
        for index in 0..<number where index < 2 { Leaf("loop \(index)", journal) }
        if let extra { Leaf(extra, journal) }
        extra.map { Leaf("again \($0)", journal) }
        if #available(macOS 15, *) { Leaf("available", journal) }
    }
}

/// A custom service that conforms to `StoreService`.
private struct CountingService: StoreService {
    typealias Model = Counter

    var body: some Service {
        Store(model: Counter.self)
            .mutate(on: Ping.self) { model, _, _ in model.count += 1 }
    }
}

private struct TwoStores: StoreService {
    typealias Model = Counter

    var body: some Service {
        Store(model: Counter.self)
        Store(model: Counter.self)
    }
}

/// The service builder, and the checks at bootstrap.
@Suite(.timeLimit(.minutes(2))) struct CompositionTests {
    private let journal = Journal()

    @Test(
        arguments: [
            (1, nil, ["odd", "one", "loop 0", "available"]),
            (2, "x", ["even", "two", "loop 0", "loop 1", "x", "again x", "available"]),
            (12, nil, ["great", "even", "loop 0", "loop 1", "available"]),
        ] as [(Int, String?, [String])]
    )
    func aBodySupportsConditionsLoopsAndOptionals(number: Int, extra: String?, names: [String]) async throws {
        let cluster = try await Bootstrap {
            ConditionalService(journal: journal, number: number, extra: extra).serial()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == names)
    }

    @Test func aBlockHasNoLimitOnTheNumberOfServices() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            Group {
                Leaf("01", journal); Leaf("02", journal); Leaf("03", journal); Leaf("04", journal); Leaf("05", journal)
                Leaf("06", journal); Leaf("07", journal); Leaf("08", journal); Leaf("09", journal); Leaf("10", journal)
                Leaf("11", journal); Leaf("12", journal); Leaf("13", journal); Leaf("14", journal); Leaf("15", journal)
            }
            .serial()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries.count == 15 && journal.entries == journal.entries.sorted())
    }

    @Test func allStoresWithoutAModelAreReportedWithTheirMutations() async throws {
        let error = await #expect(throws: ServiceTreeError.self) {
            _ = try await Bootstrap {
                Group {
                    Store(model: Counter.self).mutate(on: Ping.self) { model, _, _ in model.count += 1 }
                    Store(model: Journal.self).mutate(on: Pong.self) { _, _, _ in }
                }
                CountingService()
            }
        }

        #expect(error?.problems.map(\.kind) == [.missingModel, .missingModel, .missingModel])
        #expect(error?.problems.map(\.path) == [["1", "Group", "1"], ["1", "Group", "2"], ["2", "CountingService"]])
        #expect(
            error?.problems.first?.message == """
                The store at '1 → Group → 1' has no model of 'HeadraceServicesTests.Counter'. \
                Its mutations can't run: 'Ping'. To fix, add '.with(model: …)' to it or to a service around it.
                """
        )
        #expect(error?.description.hasPrefix("3 problems in the tree of services.\n- missingModel: ") == true)
    }

    @Test func aMutationWithoutExactlyOneStoreIsUnreachable() async throws {
        let error = await #expect(throws: ServiceTreeError.self) {
            _ = try await Bootstrap {
                TwoStores()
                    .mutate(on: Ping.self) { model, _, _ in model.count += 1 }
                    .with(model: Counter())
            }
        }

        #expect(error?.problems.map(\.kind) == [.unreachable])
        #expect(error?.problems.first?.message.contains("mutate(on: Ping.self)") == true)
    }

    @Test func mutationsOfAServiceThatConformsToStoreServiceApplyToItsStore() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            CountingService()
                .mutate(on: Pong.self) { model, _, _ in journal.note("\(model.count)") }
                .with(model: Counter())
        }

        try await cluster.send(action: Ping())
        try await cluster.send(action: Pong())

        #expect(journal.entries == ["1"])
    }

    @Test func validateReportsProblemsThatDoNotPreventBootstrap() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Unheard.self)
        continuation.finish()
        let cluster = try await Bootstrap {
            Leaf("a", journal)
                .emit(using: stream)
                .with(model: Counter())
                .transformError { _ in Pong() }
        }

        let error = #expect(throws: ServiceTreeError.self) { try cluster.validate() }

        #expect(error?.problems.map(\.kind) == [.unheard, .unusedModel, .unheard])
        #expect(
            error?.problems.first?.message.contains("'HeadraceServicesTests.Unheard', which 'emit' at the root sends")
                == true)
        #expect(error?.problems.last?.message.contains("transformError") == true)
    }

    @Test func aTreeWithoutUnusedPartsIsValid() async throws {
        let cluster = try await Bootstrap {
            Leaf("a", journal)
                .emit(using: AsyncStream<Ping> { $0.finish() })
                .transformError { Recovery(name: "\($0)") }
                .observe(on: Recovery.self) {}
        }

        try cluster.validate()
    }

    @Test func anErrorOfTheBlockIsThrownByBootstrap() async throws {
        func error() throws -> TestFailure? { throw TestFailure("no services") }

        await #expect(throws: TestFailure("no services")) {
            _ = try await Bootstrap {
                Leaf("a", journal, throwing: try error())
            }
        }
    }

    @Test func bootstrapHandlersRunOnTheMainActorInnerServicesFirst() async throws {
        let journal = journal
        func noting(_ name: String) -> @MainActor @Sendable () async throws -> Void {
            {
                MainActor.assertIsolated()
                await Task.yield()
                journal.note(name)
            }
        }
        let cluster = try await Bootstrap {
            Group {
                Leaf("a", journal).bootstrap(noting("a")).bootstrap(noting("around a"))
                Group { Leaf("b", journal).bootstrap(noting("b")) }.bootstrap(noting("inner group"))
            }
            .bootstrap(noting("group"))
            Store(model: Counter.self)
                .bootstrap { model in model.count = 3 }
                .mutate(on: Ping.self) { model, _, _ in journal.note("\(model.count)") }
                .with(model: Counter())
        }

        #expect(journal.entries == ["a", "around a", "b", "inner group", "group"])
        try await cluster.send(action: Ping())
        #expect(journal.entries.contains("3"))
    }

    @Test func anErrorOfABootstrapHandlerSkipsTheRestAndIsThrown() async throws {
        let journal = journal
        await #expect(throws: TestFailure("not ready")) {
            _ = try await Bootstrap {
                Leaf("a", journal).bootstrap { journal.note("a") }
                Leaf("b", journal).bootstrap { throw TestFailure("not ready") }
                Leaf("c", journal).bootstrap { journal.note("c") }
            }
        }

        #expect(journal.entries == ["a"])
    }

    @Test func aBodyIsReadOnceForEachPositionInTheTree() async throws {
        struct Counted: Service {
            let journal: Journal
            var body: some Service {
                let _ = journal.note("read")
                Leaf("leaf", journal)
            }
        }
        let counted = Counted(journal: journal)
        let cluster = try await Bootstrap {
            counted
            counted
        }

        try await cluster.send(action: Ping())
        try await cluster.send(action: Ping())

        #expect(journal.entries.filter { $0 == "read" }.count == 2)
        #expect(journal.entries.filter { $0 == "leaf" }.count == 4)
    }
}
