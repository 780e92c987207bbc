// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceRelay
import HeadraceTesting
import HeadraceWorkflows
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkflowTests {
    private let bench: WorkflowBench

    init() throws { bench = try WorkflowBench() }

    private nonisolated(nonsending) func raise(_ event: any DurableDomainEvent, _ container: Container) async throws {
        let work: UnitOfWork<EntityContext> = container.resolve()
        try await work.execute { $0.raiseEvent(event) }
    }

    @Test func `runs to its result over days`() async throws {
        let receipt = try await bench.run { relay, workflows, container in
            #expect(try await workflows.start(Fulfilment(order: 7), id: 7))
            try await relay.untilIdle()
            try await raise(Packed(order: 7), container)
            try await relay.untilIdle()
            #expect(try await workflows.status(of: Fulfilment.self, id: 7)?.waits == ["a pause"])
            try await relay.advance(by: .seconds(30 * 86_400))
            return try await workflows.result(of: Fulfilment.self, id: 7)
        }
        #expect(receipt == Receipt(order: 7, payment: "P7"))
        #expect(try await bench.lines() == ["payment 7", "label 7", "survey 7"])
        #expect(bench.outside.calls.sorted() == ["label", "mail", "payment"])
    }

    @Test func `goes on in another process at each wait`() async throws {
        try await bench.run { relay, workflows, _ in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.untilIdle()
        }
        try await bench.run { relay, _, container in
            try await raise(Packed(order: 7), container)
            try await relay.untilIdle()
        }
        let receipt = try await bench.run { relay, workflows, _ in
            try await relay.advance(by: .seconds(30 * 86_400))
            return try await workflows.result(of: Fulfilment.self, id: 7)
        }
        #expect(receipt == Receipt(order: 7, payment: "P7"))
        #expect(try await bench.lines() == ["payment 7", "label 7", "survey 7"])
    }

    @Test func `a second start is the same instance`() async throws {
        try await bench.run { relay, workflows, _ in
            #expect(try await workflows.start(Fulfilment(order: 7), id: 7))
            #expect(try await !workflows.start(Fulfilment(order: 8), id: 7))
            try await relay.untilIdle()
        }
        #expect(try await bench.lines() == ["payment 7"])
    }

    @Test func `compensates when an event doesn't come in time`() async throws {
        try await bench.run { relay, workflows, _ in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.advance(by: .seconds(3 * 86_400))
            let status = try #require(try await workflows.status(of: Fulfilment.self, id: 7))
            #expect(status.state == .failed)
            #expect(status.failure?.decode(as: NotPacked.self) == NotPacked())
        }
        #expect(try await bench.lines() == ["payment 7", "refund 7"])
    }

    @Test func `an error of a step is the same in each replay`() async throws {
        bench.outside.fail("payment", with: [CardDeclined()])
        try await bench.run { relay, workflows, _ in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.untilIdle()
            let error = await #expect(throws: WorkflowError.self) {
                try await workflows.result(of: Fulfilment.self, id: 7)
            }
            #expect(error?.code == .failed)
            #expect(error?.cause?.decode(as: CardDeclined.self) == CardDeclined())
            #expect(error?.cause?.step == 1)
        }
        #expect(try await bench.lines().isEmpty)
    }

    @Test func `cancellation lets the code compensate`() async throws {
        try await bench.run { relay, workflows, _ in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.untilIdle()
            try await workflows.cancel(Fulfilment.self, id: 7)
            try await relay.untilIdle()
            #expect(try await workflows.status(of: Fulfilment.self, id: 7)?.state == .cancelled)
        }
        #expect(try await bench.lines() == ["payment 7", "refund 7"])
    }

    @Test func `retry continues at the failed step`() async throws {
        bench.outside.fail("payment", with: [CardDeclined()])
        try await bench.run { relay, workflows, _ in
            try await workflows.start(Fulfilment(order: 7), id: 7)
            try await relay.untilIdle()
            try await workflows.retry(Fulfilment.self, id: 7)
            try await relay.untilIdle()
            #expect(try await workflows.status(of: Fulfilment.self, id: 7)?.waits == ["the wait for 'packed'"])
        }
        #expect(try await bench.lines() == ["payment 7"])
    }
}
