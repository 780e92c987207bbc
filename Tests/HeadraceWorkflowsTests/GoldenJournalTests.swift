// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

/// The documents of an instance, as the first version of Headrace stores them.
@Suite(.timeLimit(.minutes(1))) struct GoldenJournalTests {
    /// An instance that has paid, received an event, mailed at the second attempt, and sleeps; and two with one place.
    private static let golden = #"""
        headrace.workflow queued/1 {"begunAt":60,"blockCount":0,"changes":[],"concurrency":{"key":"key","limit":1},"events":[],"id":"queued/1","input":"{}","key":"1","keySeed":4196061574266695392,"mustCancel":false,"parents":[],"recordCount":0,"round":1,"seed":5584017301749351935,"startedAt":60,"state":"running","turn":"00E3C7A8-1E60-7002-892C-DDC4315710F6","turnDue":86460,"version":1,"waits":[{"attempts":0,"due":86460,"kind":"sleep","name":"","step":1}],"wasCancelled":false,"workflow":"queued"}
        headrace.workflow queued/2 {"begunAt":60,"blockCount":0,"changes":[],"concurrency":{"key":"key","limit":1},"events":[],"id":"queued/2","input":"{}","key":"2","keySeed":5952161475014329777,"mustCancel":false,"parents":[],"place":"10/queued/key/00E3C7A8-1E60-7003-867E-EF58B04EB8E7","recordCount":0,"round":1,"seed":1540625848015299869,"startedAt":60,"state":"queued","version":1,"waits":[],"wasCancelled":false,"workflow":"queued"}
        headrace.workflow scripted/7 {"begunAt":0,"blockCount":0,"changes":[],"events":[],"id":"scripted/7","input":"{\"number\":7}","key":"7","keySeed":6878622605533214259,"mustCancel":false,"parents":[],"recordCount":3,"round":1,"seed":5225608189600411232,"startedAt":0,"state":"running","turn":"00E3C7A7-34A5-7000-B616-ADE8AC550256","turnDue":2592000.164999962,"version":1,"waits":[{"attempts":0,"due":2592000.164999962,"kind":"sleep","name":"","step":4}],"wasCancelled":false,"workflow":"scripted"}
        headrace.workflow-record scripted/7/1 {"id":"scripted/7/1","instance":"scripted/7","position":1,"record":{"attempts":1,"date":0,"input":"{\"amount\":100,\"order\":7}","kind":"command","name":"take-payment","result":"[\"P7\"]","step":1,"version":1}}
        headrace.workflow-record scripted/7/2 {"id":"scripted/7/2","instance":"scripted/7","position":2,"record":{"attempts":1,"date":0,"kind":"event","name":"sent","result":"{\"order\":7,\"text\":\"in time\"}","step":2,"version":1}}
        headrace.workflow-record scripted/7/3 {"id":"scripted/7/3","instance":"scripted/7","position":3,"record":{"attempts":2,"date":0.16499996185302734,"kind":"step","name":"mail","result":"","step":3,"version":1}}
        headrace.workflow-queue queued/key {"holders":["queued/1"],"id":"queued/key","refusals":1}
        """#

    /// Returns the documents without their random numbers, and without times that depend on them.
    private func form(of documents: String) -> String {
        documents
            .replacing(/"(seed|keySeed|date|due|turnDue)":[0-9.]+/) { "\"\($0.output.1)\":0" }
            .replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "UUID")
    }

    private static let kinds = ["headrace.workflow", "headrace.workflow-record", "headrace.workflow-queue"]

    private nonisolated(nonsending) func documents(in store: any DeliveryStore) async throws -> [StoredDocument] {
        var documents: [StoredDocument] = []
        for kind in Self.kinds { documents += try await store.fetch(DocumentQuery(kind: kind)) }
        return documents
    }

    private static let code: Scripted.Code = { _, flow in
        let payment = try await flow.dispatch(TakePayment(order: 7, amount: 100))
        let text = try await flow.next(Sent.self).text
        try await flow.step("mail") { try $0.resolve(Outside.self).call("mail") }
        try await flow.sleep(for: .seconds(30 * 86_400))
        try await flow.transaction("survey") { $0.insert(Line("survey")) }
        return "\(payment) \(text)"
    }

    private nonisolated(nonsending) func run(
        _ bench: WorkflowBench,
        _ body: nonisolated(nonsending) (TestRelay, Workflows, Container) async throws -> Void
    ) async throws {
        try await Scripted.$code.binding(Self.code) { try await bench.run([Scripted.self, Queued.self], body) }
    }

    @Test func `instances are stored as ever`() async throws {
        let bench = try WorkflowBench()
        bench.outside.fail("mail", with: [Flaky()])
        try await run(bench) { relay, workflows, container in
            try await workflows.start(Scripted(number: 7), id: 7)
            try await relay.untilIdle()
            let work: UnitOfWork<EntityContext> = container.resolve()
            try await work.execute { $0.raiseEvent(Sent(order: 7, text: "in time")) }
            try await relay.advance(by: .seconds(60))
            for number in 1...2 {
                try await workflows.start(Queued(), id: number)
                try await relay.untilIdle()
            }
        }
        let lines = try await documents(in: bench.store).map { document in
            "\(document.reference.kind) \(document.reference.key) \(String(decoding: document.json, as: UTF8.self))"
        }
        #expect(form(of: lines.joined(separator: "\n")) == form(of: Self.golden))
    }

    @Test func `an instance that the first version has stored goes on`() async throws {
        let bench = try WorkflowBench()
        let context = EntityContext(bench.store)
        for line in Self.golden.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            let reference = EntityReference(kind: parts[0], key: parts[1])
            let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: Data(parts[2].utf8))
            switch parts[0] {
            case StoredWorkflow.entityName: context.insert(try DocumentCoding.decode(document) as StoredWorkflow)
            case StoredWorkflowQueue.entityName:
                context.insert(try DocumentCoding.decode(document) as StoredWorkflowQueue)
            default: context.insert(try DocumentCoding.decode(document) as StoredWorkflowRecord)
            }
        }
        try await context.commit([])
        try await run(bench) { relay, workflows, container in
            // The message that would wake it isn't among the documents.
            try await workflows.retry(Scripted.self, id: 7)
            try await relay.advance(by: .seconds(31 * 86_400))
            #expect(try await workflows.result(of: Scripted.self, id: 7) == "P7 in time")
        }
        #expect(bench.outside.calls.isEmpty)
        #expect(try await bench.lines() == ["survey"])
    }
}

private struct Queued: DurableWorkflow {
    static let workflowName = "queued"

    var concurrency: WorkflowConcurrency? { .atMost(1, by: "key") }

    func run(_ flow: WorkflowContext) async throws { try await flow.sleep(for: .seconds(86_400)) }
}
