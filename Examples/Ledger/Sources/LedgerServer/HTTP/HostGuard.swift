//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Hummingbird

/// Refuses requests with a foreign host name, and requests of pages from other sites.
///
/// This prevents cross-site request forgery. It also prevents DNS rebinding, in which a foreign name resolves to this
/// machine.
struct HostGuard: RouterMiddleware {
    typealias Context = LedgerRequestContext

    private let allowedHosts: Set<String>

    init(_ configuration: LedgerServerConfiguration) {
        let names = ["127.0.0.1", "localhost", "[::1]", configuration.host] + configuration.allowedHosts
        allowedHosts = Set(names.map { $0.lowercased() })
    }

    func handle(
        _ request: Request,
        context: LedgerRequestContext,
        next: @concurrent (Request, LedgerRequestContext) async throws -> Response
    ) async throws -> Response {
        // The authority of the request is the first 'Host' field. The headers contain only further 'Host' fields.
        guard request.headers[values: .host].isEmpty else {
            throw APIError.malformed("The field 'Host' occurs twice. To fix, send it once.")
        }
        let host = request.head.authority?.lowercased() ?? ""
        guard allowedHosts.contains(Self.name(of: host)) else {
            throw APIError(
                .forbidden,
                "foreignHost",
                "The server doesn't accept this host name. To fix, use its address, or allow the name with '--allow-host'."
            )
        }
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ $0.lowercased() == "http://\(host)" || $0.lowercased() == "https://\(host)" }) else {
            throw APIError(.forbidden, "foreignOrigin", "Pages of other sites must not send requests to this server.")
        }
        return try await next(request, context)
    }

    /// Returns `host` without its port.
    private static func name(of host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host }
        let port = host[host.index(after: colon)...]
        return port.allSatisfy { $0.isASCII && $0.isNumber } ? String(host[..<colon]) : host
    }
}
