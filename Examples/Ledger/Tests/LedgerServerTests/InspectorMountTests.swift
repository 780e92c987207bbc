// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceInspector
import HeadraceStorage
import LedgerApplication
import LedgerServer
import Testing

/// The inspector of the ledger.
@Suite(.timeLimit(.minutes(5))) struct InspectorMountTests {
    private struct Graph: Decodable {
        struct Node: Decodable {
            let title: String
            let remarks: [String]
        }

        let name: String
        let nodes: [Node]
    }

    @Test func theInspectorChecksACorrectedDeadLetterByItsType() async throws {
        let inspector = Inspector(configuration: InspectorConfiguration(showing: TransactionPosted.self))
        let folder = try TestFolder()
        let server = try await LedgerServer(
            LedgerServerConfiguration(database: folder.location), inspector: inspector)
        defer {
            try? server.store.close()
            withExtendedLifetime(folder) {}
        }
        let store = server.store.base
        var changes = ChangeSet(events: [
            NewEvent(
                id: UUID(), name: TransactionPosted.eventName, version: TransactionPosted.eventVersion, stream: nil,
                recordedAt: Date(timeIntervalSince1970: 0), json: Data("{}".utf8))
        ])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "mail")]
        try await store.commit(changes)
        let delivery = try #require(try await store.pendingDeliveries(PendingDeliveryRequest(now: Date())).first)
        #expect(try await store.cancelDeliveries([delivery.id], reason: "A test.", now: Date()) == 1)
        let routes = InspectorRoutes(inspector, allowsWrites: true)

        let answer = await routes.respond(
            to: InspectorRequest(
                method: "POST",
                target: "/api/dead-letters/correct",
                headers: [
                    ("Host", "127.0.0.1:8080"), ("Authorization", "Bearer \(routes.bearerToken)"),
                    ("Content-Type", "application/json"),
                ],
                body: Data(#"{"id": 1, "content": "[]"}"#.utf8)
            )
        )

        guard case .data(let body) = answer.body else { throw CocoaError(.coderReadCorrupt) }
        #expect(answer.status == 409)
        #expect(String(decoding: body, as: UTF8.self).contains("can't be decoded"))
        #expect(try await store.deadLetter(1)?.isCorrected == false)
    }

    @Test func theInspectorShowsNoOpaqueHandler() async throws {
        let inspector = Inspector()
        let folder = try TestFolder()
        var configuration = LedgerServerConfiguration(database: folder.location)
        #if Webhooks
        configuration.webhook = URL(string: "http://127.0.0.1:1/")
        #endif
        let server = try await LedgerServer(configuration, inspector: inspector)
        defer {
            try? server.store.close()
            withExtendedLifetime(folder) {}
        }
        let routes = InspectorRoutes(inspector)

        let answer = await routes.respond(
            to: InspectorRequest(
                method: "GET",
                target: "/api/graphs",
                headers: [("Host", "127.0.0.1:8080"), ("Authorization", "Bearer \(routes.bearerToken)")]
            )
        )

        guard case .data(let json) = answer.body else { throw CocoaError(.coderReadCorrupt) }
        let graphs = try JSONDecoder().decode([Graph].self, from: json)
        let nodes = try #require(graphs.first { $0.name == "Dependencies" }).nodes
        let titles = nodes.map(\.title)
        for title in ["PostTransactionHandler", "GetBalancesHandler", "KeepStatement", "Relay"] {
            #expect(titles.contains(title))
        }
        #expect(titles.contains("SendWebhook") == (configuration.webhook != nil))
        #expect(nodes.filter { $0.remarks.contains { $0.contains("opaque") } }.map(\.title) == [])
    }
}
#endif
