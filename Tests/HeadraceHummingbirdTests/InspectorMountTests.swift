// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceHummingbird
import HeadraceInspector
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(2))) struct InspectorMountTests {
    @Test func theInspectorNeedsItsToken() async throws {
        let router = Router()
        let routes = router.mountInspector(Inspector(), announce: { _ in })
        let client = router.client

        let stranger = try await client.send(.get, "/inspector/")
        let guest = try await client.send(.get, routes.signInPath)
        let page = try await client.send(
            .get, "/inspector/", headers: [.authorization: "Bearer \(routes.bearerToken)"])

        #expect(stranger.status == 401)
        #expect(guest.status == 303)
        #expect(page.status == 200)
        #expect(page.text.contains("<!doctype html>") || page.text.contains("<!DOCTYPE html>"))
    }

    @Test func theAnnouncedPathContainsTheToken() throws {
        var announced: [String] = []

        let routes = Router().mountInspector(Inspector(), at: "/ops/inspector") { announced.append($0) }

        #expect(announced == [routes.signInPath])
        #expect(routes.signInPath.hasPrefix("/ops/inspector/?token="))
    }

    @Test func theLimitsOfTheInspectorApply() async throws {
        let router = Router()
        let routes = router.mountInspector(Inspector(), allowsWrites: true, announce: { _ in })
        let client = router.client
        let token: HTTPFields = [.authorization: "Bearer \(routes.bearerToken)"]

        let tooLong = try await client.send(
            .post, "/inspector/api/dead-letters/replay", String(repeating: "x", count: (1 << 20) + 1), headers: token)
        let foreign = try await client.send(.get, "/inspector/", headers: token, authority: "evil.example")

        #expect(tooLong.status == 413)
        #expect(foreign.status == 421)
    }

    @Test func theBodyOfAStrangerIsNotRead() async throws {
        let router = Router()
        router.mountInspector(Inspector(), allowsWrites: true, announce: { _ in })

        try await LiveServer.with(router) { port in
            try await Connection.with(port: port) { reading, writing in
                // The rest of the body never arrives.
                try await writing.send(
                    "POST /inspector/api/dead-letters/replay HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx")

                #expect(try await reading.text(upTo: "\r\n") == "HTTP/1.1 401 Unauthorized\r\n")
            }
        }
    }

    @Test func aPageOfAnotherSiteCanOnlyLinkToTheInspector() async throws {
        let router = Router()
        let routes = router.mountInspector(Inspector(), announce: { _ in })
        let client = router.client
        var headers: HTTPFields = [.authorization: "Bearer \(routes.bearerToken)"]
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "cross-site"

        #expect(try await client.send(.get, "/inspector/", headers: headers).status == 403)
        headers[try #require(HTTPField.Name("Sec-Fetch-Mode"))] = "navigate"
        #expect(try await client.send(.get, "/inspector/", headers: headers).status == 200)
    }

    @Test func requestsAppearInTheFlowWithTheirRouteAndStatus() async throws {
        var booking = try Booking()
        let inspector = Inspector()
        let routes = booking.router.mountInspector(inspector, announce: { _ in })
        booking.configuration.observers = [inspector.observer]
        booking.addRoutes()
        let client = booking.router.client
        let token: HTTPFields = [.authorization: "Bearer \(routes.bearerToken)"]
        _ = try await client.send(.get, "/inspector/api/messages", headers: token)

        _ = try await client.send(.get, "/rows/1")
        _ = try await client.send(.get, "/rows/x")
        let flow = try await client.send(.get, "/inspector/api/messages", headers: token)

        #expect(flow.text.contains(#""note":"status 200""#))
        #expect(flow.text.contains(#""note":"status 400""#))
        #expect(flow.text.contains(#""type":"GET /rows/{row}""#))
    }

    @Test func theStreamOfTheInspectorIsServed() async throws {
        let router = Router()
        let routes = router.mountInspector(Inspector(), announce: { _ in })
        let token = routes.bearerToken

        let text = try await LiveServer.with(router) { port in
            try await Connection.with(port: port) { reading, writing in
                try await writing.send(
                    "GET /inspector/api/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n"
                )
                return try await reading.text(upTo: "event: rates\n")
            }
        }

        #expect(text?.contains("retry: 1000\n\n") == true)
    }
}
#endif
