// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector

/// Sends requests to the routes without a server.
struct Client {
    let routes: InspectorRoutes
    var headers: [(name: String, value: String)]

    init(_ routes: InspectorRoutes) {
        self.routes = routes
        headers = [("Host", "127.0.0.1:8080"), ("Authorization", "Bearer \(routes.bearerToken)")]
    }

    func get(_ target: String) async -> ClientResponse {
        ClientResponse(await routes.respond(to: InspectorRequest(method: "GET", target: target, headers: headers)))
    }

    func post(_ target: String, _ body: String, type: String = "application/json") async -> ClientResponse {
        let headers = headers + [("Content-Type", type)]
        return ClientResponse(
            await routes.respond(
                to: InspectorRequest(method: "POST", target: target, headers: headers, body: Data(body.utf8))
            )
        )
    }
}

/// A response of the routes.
struct ClientResponse {
    let status: Int
    let headers: [String: String]
    let body: Data
    let stream: InspectorEventStream?

    init(_ response: InspectorResponse) {
        status = response.status
        headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        switch response.body {
        case .data(let data): (body, stream) = (data, nil)
        case .stream(let events): (body, stream) = (Data(), events)
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: body)
    }
}

/// The flow as a client decodes it.
struct Flow: Decodable {
    struct Entry: Decodable {
        let number: Int
        let parent: Int?
        let kind: String
        let type: String
        let outcome: String?
        let failure: String?
        let payload: String?
        let principal: String?
        let attempt: Int?
        let note: String?
        let duration: Double?
        let began: Double
        let correlation: String?
        let hidden: [String]?
        let isEarlier: Bool?
    }

    struct History: Decodable, Equatable {
        let earlier: Int
        let leftOut: Int
        let unreadable: Int
        let dropped: Int
        let failure: String?
    }

    let revision: Int
    let first: Int
    let entries: [Entry]
    let skipped: Int
    let hints: [String: String]?
    let history: History?

    /// A line for each entry: its kind and type, indented below its parent.
    var tree: [String] {
        lines(below: nil, indent: "")
    }

    private func lines(below parent: Int?, indent: String) -> [String] {
        entries.filter { $0.parent == parent }.sorted { $0.number < $1.number }.flatMap { entry in
            let type = entry.type.split(separator: ".").last.map { " \($0)" } ?? ""
            let outcome = entry.outcome.map { $0 == "success" ? "" : ": \($0)" } ?? " …"
            return ["\(indent)\(entry.kind)\(type)\(outcome)"] + lines(below: entry.number, indent: indent + "  ")
        }
    }
}
