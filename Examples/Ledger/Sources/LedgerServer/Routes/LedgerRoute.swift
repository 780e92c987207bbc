// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// A route of the server.
///
/// `/openapi.json` describes all routes.
struct LedgerRoute: Sendable {
    let method: HTTPRequest.Method

    /// The path, with its parameters in braces.
    let path: String

    /// Whether repetitions of a request are detected by its `Idempotency-Key`.
    var takesKey = false

    /// Whether the route needs no user.
    var isOpen = false
    let respond: @Sendable (RequestReader) async throws -> Response

    static func get(
        _ path: String,
        _ respond: @escaping @Sendable (RequestReader) async throws -> Response
    ) -> LedgerRoute {
        LedgerRoute(method: .get, path: path, respond: respond)
    }

    static func post(
        _ path: String,
        takesKey: Bool = false,
        _ respond: @escaping @Sendable (RequestReader) async throws -> Response
    ) -> LedgerRoute {
        LedgerRoute(method: .post, path: path, takesKey: takesKey, respond: respond)
    }

    static func put(
        _ path: String,
        _ respond: @escaping @Sendable (RequestReader) async throws -> Response
    ) -> LedgerRoute {
        LedgerRoute(method: .put, path: path, respond: respond)
    }
}
