//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import HeadraceInspector
import Hummingbird

struct Guest: Codable {
    let guest: String
}

extension SeatState: ResponseEncodable {}

func makeRouter(dispatcher: any CommandQueryDispatcher, inspector: InspectorRoutes) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("seats") { _, _ in
        try await dispatcher.dispatch(GetSeats())
    }
    router.post("seats/:seat/reservation") { request, context in
        let guest = try await request.decode(as: Guest.self, context: context).guest
        let command = ReserveSeat(seat: try context.parameters.require("seat", as: Int.self), guest: guest)
        return try await respond(to: request) { try await dispatcher.dispatch(command) }
    }
    router.post("seats/:seat/confirmation") { request, context in
        let guest = try await request.decode(as: Guest.self, context: context).guest
        let command = ConfirmSeat(seat: try context.parameters.require("seat", as: Int.self), guest: guest)
        return try await respond(to: request) { try await dispatcher.dispatch(command) }
    }
    for path in ["inspector", "inspector/**"] {
        router.get(RouterPath(path)) { request, _ in try await inspect(request, with: inspector) }
    }
    return router
}

/// Runs `operation` with the idempotency key of the request, and reports a refusal as a conflict.
private func respond(to request: Request, _ operation: () async throws -> Void) async throws -> HTTPResponse.Status {
    let key = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
    do {
        try await IdempotencyMiddleware.withKey(key, operation)
        return .noContent
    } catch let refusal as SeatRefusal {
        throw HTTPError(.conflict, message: refusal.reason)
    }
}

private func inspect(_ request: Request, with routes: InspectorRoutes) async throws -> Response {
    var request = request
    let body = try await request.collectBody(upTo: routes.limits.bodyLength + 1)
    var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
    headers.append((name: "Host", value: request.head.authority ?? ""))
    let asked = InspectorRequest(
        method: request.method.rawValue,
        target: request.uri.string,
        headers: headers,
        body: Data(body.readableBytesView)
    )
    let answer = await routes.respond(to: asked)
    var fields = HTTPFields()
    for (name, value) in answer.headers {
        if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    let content: ResponseBody =
        switch answer.body {
        case .data(let data): ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        case .stream(let events):
            ResponseBody(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
        }
    return Response(status: .init(code: answer.status), headers: fields, body: content)
}
