// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Testing

@testable import LedgerServer

private struct Description: Decodable {
    struct Operation: Decodable {
        struct Parameter: Decodable {
            let name: String
            let `in`: String
            let required: Bool
        }

        let parameters: [Parameter]?
        let responses: [String: Ignored]
    }

    struct Ignored: Decodable {}

    let paths: [String: [String: Operation]]
}

extension LedgerServerTests {
    @Suite(.timeLimit(.minutes(2))) struct RoutesTests {
        @Test func theDescriptionHasExactlyTheRoutesOfTheServer() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let description = try await server.get("/openapi.json").json(Description.self)
                let described = description.paths.flatMap { path, operations in
                    operations.keys.map { "\($0.uppercased()) \(path)" }
                }
                // The files of the page aren't part of the API.
                let page = Set(PageFile.all.map { "GET \($0.path)" }).subtracting(["GET /openapi.json"])
                let served = server.server.routeNames.filter { !page.contains($0) }

                #expect(described.sorted() == served.sorted())
            }
        }

        /// Each route with only its required parameters responds with a described status.
        @Test func eachRouteRespondsWithADescribedStatus() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                try await server.transfer("1 EUR")
                let description = try await server.get("/openapi.json").json(Description.self)
                for (path, operations) in description.paths where path != "/api/events" {
                    for (method, operation) in operations {
                        var target = path.replacing("{id}", with: UUID().uuidString)
                        for parameter in operation.parameters ?? [] where parameter.in == "query" && parameter.required
                        {
                            #expect(
                                try await server.send(method.uppercased(), target).status == 400, "\(method) \(path)")
                            target += "?\(parameter.name)=cash"
                        }
                        let answer = try await server.send(method.uppercased(), target)
                        #expect(operation.responses["\(answer.status)"] != nil, "\(method) \(path): \(answer.status)")
                        if operation.responses["404"] != nil, path.contains("{id}") { #expect(answer.status == 404) }
                    }
                }
            }
        }

        @Test func eachResponseHasTheSecurityFields() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for path in ["/", "/api/accounts", "/api/nothing", "/api/transactions.csv"] {
                    let answer = try await server.get(path)
                    #expect(answer.headers["x-frame-options"] == "DENY", "\(path)")
                    #expect(answer.headers["referrer-policy"] == "no-referrer", "\(path)")
                    #expect(answer.headers["cross-origin-opener-policy"] == "same-origin", "\(path)")
                    #expect(answer.headers["cross-origin-resource-policy"] == "same-origin", "\(path)")
                    #expect(answer.headers["content-security-policy"] != nil, "\(path)")
                    #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
                }
            }
        }

        @Test func eachRouteRefusesUnknownParametersAndOtherMethods() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let description = try await server.get("/openapi.json").json(Description.self)
                for (path, operations) in description.paths where path != "/openapi.json" && path != "/api/session" {
                    let target = path.replacing("{id}", with: UUID().uuidString)
                    if operations["delete"] == nil {
                        let answer = try await server.send("DELETE", target)
                        let allowed = Set(
                            operations.keys.map { $0.uppercased() } + (operations["get"] == nil ? [] : ["HEAD"]))
                        #expect(answer.status == 405, "\(path)")
                        #expect(answer.headers["allow"] == allowed.sorted().joined(separator: ", "))
                    }
                    for method in operations.keys where !path.hasPrefix("/health") {
                        let answer = try await server.send(method.uppercased(), target + "?accuont=cash")
                        #expect(answer.status == 400, "\(method) \(path)")
                    }
                }
            }
        }

        @Test func anImageOfAnotherSiteStartsNoSearch() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let fields = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"]
                let answer = try await server.send("GET", "/api/transactions?text=x", headers: fields)
                #expect(answer.status == 403)
            }
        }

        @Test func thePageIsServedWithASecurityPolicyAndAnETag() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                for file in PageFile.all.map(\.path) {
                    let answer = try await server.get(file)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'self'") == true)
                    #expect(answer.headers["x-content-type-options"] == "nosniff")
                    let tag = try #require(answer.headers["etag"])

                    let again = try await server.send("GET", file, headers: ["If-None-Match: \(tag)"])
                    #expect(again.status == 304)
                    #expect(again.body.isEmpty)

                    let head = try await server.send("HEAD", file)
                    #expect(head.status == 200)
                    #expect(head.body.isEmpty)
                }
            }
        }

        @Test func unknownPathsAreNotFound() async throws {
            let folder = try TestFolder()
            try await TestServer.with(in: folder) { server in
                let paths = [
                    "/nothing", "/api", "/api/", "/../etc/passwd", "/%2e%2e/page.js", "//", "/page.js/../..",
                    "/api/accounts/x",
                ]
                for path in paths {
                    let answer = try await server.get(path)
                    #expect(answer.status == 404 || (path == "//" && answer.status == 200), "\(path): \(answer.status)")
                }
            }
        }
    }
}
#endif
