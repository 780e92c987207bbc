// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceInspector
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows
import Testing

/// The workflows on the page, and the operations on them.
@Suite(.timeLimit(.minutes(2))) struct WorkflowRoutesTests {
    private struct Overview: Decodable { let workflowStores: [String] }

    @Test func instancesAreListedInPagesByWorkflowAndState() async throws {
        let fixture = try WorkflowFixture { $0.redaction = .disabled }
        try await fixture.run { program in
            for order in ["a", "b", "declined"] { try await program.start(order) }

            let all: WorkflowList = try await program.client.get("/api/workflows").read()
            #expect(
                all.instances.map { "\($0.workflow) \($0.id ?? "") \($0.state)" } == [
                    "parcel a running", "parcel b queued", "purchase a running", "purchase b running",
                    "purchase declined failed",
                ])
            #expect(
                all.instances.map(\.waits) == [
                    ["a pause"], ["the concurrency key 'str33t'"], ["the end of the workflow 'parcel/a'"],
                    ["the end of the workflow 'parcel/b'"], [],
                ])
            #expect(all.instances.map(\.steps) == [0, 0, 2, 2, 1])
            #expect(all.instances.map { $0.ended != nil } == [false, false, false, false, true])
            #expect(all.next == nil && all.hints == nil)

            var (ids, cursor) = ([] as [String], "")
            repeat {
                let page: WorkflowList = try await program.client.get("/api/workflows?limit=2&after=\(cursor)").read()
                ids += page.instances.map(\.instance)
                cursor = page.next ?? ""
            } while !cursor.isEmpty
            #expect(ids == all.instances.map(\.instance))
            let failed: WorkflowList = try await program.client.get("/api/workflows?state=failed&workflow=purchase")
                .read()
            #expect(failed.instances.map(\.id) == ["declined"])
            for query in ["state=lost", "after=x", "after=\(UUID())", "limit=0", "limit=501"] {
                #expect(await program.client.get("/api/workflows?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test func anInstanceShowsItsStepsWithTheirTimesAndResults() async throws {
        let fixture = try WorkflowFixture { $0.redaction = .disabled }
        try await fixture.run { program in
            try await program.start("a")
            try await program.relay.advance(by: .seconds(60))
            let waiting = try await program.details(in: "running")
            #expect(waiting.waits.map(\.title) == ["the wait for 'rated'"])
            try await program.work.execute { $0.raiseEvent(Rated(order: "a", text: "r4ting")) }
            try await program.relay.untilIdle()

            let ended = try await program.details(in: "completed")

            #expect(
                ended.steps.map(\.title) == [
                    "the step 'charge'", "the start of the workflow 'parcel'", "the end of the workflow 'parcel/a'",
                    "the wait for 'rated'",
                ])
            #expect(ended.steps.map(\.step) == [1, 2, 3, 4])
            #expect(
                ended.steps.map(\.result?.text) == [
                    #""ch4rge""#, "a", #""tr4ck""#, #"{"order":"a","text":"r4ting"}"#,
                ])
            #expect(ended.steps.map(\.input?.text) == [nil, #"{"address":"str33t"}"#, nil, nil])
            #expect(ended.steps.map(\.childState) == [nil, nil, "completed", nil])
            #expect(ended.steps.map { (($0.done ?? 0) - $0.asked) >= 60_000 } == [false, false, true, false])
            #expect(ended.input.text == #"{"card":"c4rd","order":"a"}"#)
            #expect(ended.output?.text == #"{"text":"ch4rge r4ting"}"#)
            #expect(ended.hints == nil && ended.omitted == 0 && ended.waits.isEmpty)

            let handle = ended.summary.instance
            let last: WorkflowContent = try await program.client
                .get("/api/workflows/instance?instance=\(handle)&limit=1").read()
            #expect(last.omitted == 3 && last.steps.map(\.step) == [4])
        }
    }

    @Test func aFailedInstanceShowsTheErrorOfItsStep() async throws {
        let fixture = try WorkflowFixture { $0.redaction = .disabled }
        try await fixture.run { program in
            try await program.start("declined")

            let failed = try await program.details(in: "failed")

            #expect(failed.failure?.text == "the c4rd is empty")
            #expect(failed.steps.map(\.failure?.text) == ["the c4rd is empty"])
            #expect(failed.failure?.type.hasSuffix("Declined") == true)
        }
    }

    @Test func anUnknownInstanceIsNotFound() async throws {
        let fixture = try WorkflowFixture()
        try await fixture.run { program in
            try await program.start("a")
            let handle = try await program.handle(in: "running")
            // Another page of the program, such as after a restart, has other handles.
            let other = Client(InspectorRoutes(fixture.inspector, allowsWrites: true))
            for id in [handle, "\(UUID())", "x", ""] {
                #expect(await other.get("/api/workflows/instance?instance=\(id)").status == 404, "\(id)")
            }
            let body = "{\"instance\": \"\(handle)\"}"
            for verb in ["cancel", "retry", "terminate"] {
                #expect(await other.post("/api/workflows/\(verb)", body).status == 404)
                #expect(await program.client.post("/api/workflows/\(verb)", #"{"instance": "a"}"#).status == 400)
            }
            #expect(await program.client.post("/api/workflows/start", body).status == 404)

            try await program.workflows.terminate(Purchase.self, id: "a")
            try await program.workflows.removeEnded(before: .distantFuture)
            #expect(await program.client.get("/api/workflows/instance?instance=\(handle)").status == 404)
            #expect(await program.client.post("/api/workflows/cancel", body).status == 404)
        }
    }

    @Test func aStoreWithoutWorkflowsHasNone() async throws {
        let bank = try BankFixture()
        let fixture = try WorkflowFixture()
        fixture.inspector.show(bank.store, named: "bank")
        let client = Client(InspectorRoutes(fixture.inspector))

        #expect(try await client.get("/api/overview").read(Overview.self).workflowStores == ["Store"])
        #expect(await client.get("/api/workflows?store=Store").status == 200)
        for path in ["workflows?store=bank", "workflows/instance?store=bank", "workflows?store=other"] {
            #expect(await client.get("/api/\(path)").status == 404)
        }
    }

    @Test func aReadOnlyInspectorRefusesOperationsOnInstances() async throws {
        let fixture = try WorkflowFixture()
        try await fixture.run(allowsWrites: false) { program in
            try await program.start("a")
            let body = "{\"instance\": \"\(try await program.handle(in: "running"))\"}"

            for verb in ["cancel", "retry", "terminate"] {
                #expect(await program.client.post("/api/workflows/\(verb)", body).status == 403)
            }

            #expect(try await program.workflows.status(of: Purchase.self, id: "a")?.state == .running)
            #expect(try await fixture.store.events(after: 0, limit: 9).isEmpty)
        }
    }

    @Test func instancesAreCancelledRetriedAndTerminatedAndTheLogNamesTheOperator() async throws {
        let fixture = try WorkflowFixture { $0.operatorName = "anna" }
        try await fixture.run { program in
            for order in ["a", "b", "declined"] { try await program.start(order) }
            let page: WorkflowList = try await program.client.get("/api/workflows?workflow=purchase").read()
            let handles = page.instances.map(\.instance)
            func post(_ verb: String, _ index: Int) async -> Int {
                await program.client.post("/api/workflows/\(verb)", "{\"instance\": \"\(handles[index])\"}").status
            }

            let statuses = [await post("cancel", 0), await post("terminate", 1), await post("retry", 2)]
            try await program.relay.untilIdle()
            let refused = await program.client.post("/api/workflows/retry", "{\"instance\": \"\(handles[1])\"}")

            #expect(statuses == [200, 200, 200])
            let after: WorkflowList = try await program.client.get("/api/workflows?workflow=purchase").read()
            #expect(after.instances.map(\.state) == ["cancelled", "terminated", "failed"])
            #expect(refused.status == 409 && !refused.text.contains("purchase"))
            let events = try await fixture.store.events(after: 0, limit: 9).map(\.event)
            #expect(events.map(\.origin.principalID) == ["anna", "anna", "anna", "anna"])
            #expect(
                events.map { String(decoding: $0.json, as: UTF8.self) }.dropLast() == [
                    #"{"name":"cancel workflow","target":["purchase/a"]}"#,
                    #"{"name":"terminate workflow","target":["purchase/b"]}"#,
                    #"{"name":"retry workflow","target":["purchase/declined"]}"#,
                ])
        }
    }

    // MARK: Redaction

    /// Returns everything that the inspector answers about a purchase that waits, a failed, and a completed one.
    private func answers(_ redaction: Redaction) async throws -> (text: String, ended: WorkflowContent?) {
        let fixture = try WorkflowFixture { $0.redaction = redaction }
        var (text, ended) = ("", nil as WorkflowContent?)
        try await fixture.run { program in
            for order in ["0rder", "0ther", "declined"] { try await program.start(order) }
            text += await program.client.get("/api/workflows?limit=2").text
            for order in ["running", "failed"] {
                let handle = try await program.handle(in: order)
                text += await program.client.get("/api/workflows/instance?instance=\(handle)").text
            }
            try await program.relay.advance(by: .seconds(60))
            try await program.work.execute { $0.raiseEvent(Rated(order: "0rder", text: "r4ting")) }
            try await program.relay.untilIdle()
            let handle = try await program.handle(in: "completed")
            let answer = await program.client.get("/api/workflows/instance?instance=\(handle)")
            text += answer.text
            ended = try answer.read()
            text += await program.client.post("/api/workflows/retry", "{\"instance\": \"\(handle)\"}").text
            text += await program.client.get("/api/log").text
        }
        return (text, ended)
    }

    @Test func theRedactionHidesIdentifiersInputsResultsAndErrors() async throws {
        let (text, ended) = try await answers(.typesOnly)

        for secret in ["0rder", "0ther", "c4rd", "ch4rge", "str33t", "tr4ck", "r4ting"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains("the end of the workflow 'parcel'") && text.contains("a concurrency key"))
        #expect(text.contains("Declined"))
        #expect(ended?.hints?.keys.sorted() == ["identifier", "storedMessage"])
        #expect(
            ended?.steps.map(\.hidden) == [
                ["storedMessage"], ["storedMessage", "identifier"], ["storedMessage"], ["storedMessage"],
            ])
    }

    @Test func aListedWorkflowShowsItsIdentifierAndInputButNoResultOfAnUnlistedType() async throws {
        let (text, ended) = try await answers(Redaction(showing: Purchase.self))

        #expect(ended?.summary.id == "0rder")
        #expect(ended?.input.text == #"{"card":"c4rd","order":"0rder"}"#)
        #expect(ended?.output != nil && ended?.output?.text == nil)
        for secret in ["ch4rge", "str33t", "tr4ck", "r4ting", "is empty"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func aListedResultAndAListedEventAreShown() async throws {
        let (text, ended) = try await answers(Redaction(showing: Purchase.self, Receipt.self, Rated.self))

        #expect(ended?.output?.text == #"{"text":"ch4rge r4ting"}"#)
        #expect(ended?.steps.last?.result?.text == #"{"order":"0rder","text":"r4ting"}"#)
        #expect(ended?.steps.first?.result?.text == nil)
        for secret in ["str33t", "tr4ck"] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test func aRuleShowsTheResultOfAStepByItsName() async throws {
        var redaction = Redaction.typesOnly
        redaction.storedMessage = { name, json in
            name == "purchase/charge" ? String(decoding: json, as: UTF8.self).uppercased() : nil
        }

        let (_, ended) = try await answers(redaction)

        #expect(ended?.steps.map(\.result?.text) == [#""CH4RGE""#, nil, nil, nil])
    }
}
