//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Hummingbird

/// Turns requests away that call the server by a name that is not its own, or come from another site's page.
///
/// A page of another site may not send requests here in the name of whoever looks at it; nor may it, by a name that it has
/// pointed to this machine, make the browser believe that it is this site.
struct HostGuard: RouterMiddleware {
    typealias Context = LedgerRequestContext

    private let allowedHosts: Set<String>

    init(_ configuration: LedgerServer.Configuration) {
        let names = ["127.0.0.1", "localhost", "[::1]", configuration.host] + configuration.allowedHosts
        allowedHosts = Set(names.map { $0.lowercased() })
    }

    func handle(
        _ request: Request,
        context: LedgerRequestContext,
        next: @concurrent (Request, LedgerRequestContext) async throws -> Response
    ) async throws -> Response {
        // The first one is the authority of the request; what is left here are others.
        guard request.headers[values: .host].isEmpty else {
            throw APIError.malformed("'Host' is given twice. To fix, give it once.")
        }
        let host = request.head.authority?.lowercased() ?? ""
        guard allowedHosts.contains(Self.name(of: host)) else {
            throw APIError(
                .forbidden,
                "foreignHost",
                "This server does not go by that name. To fix, call it by its own, or allow the name when it is started."
            )
        }
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ $0.lowercased() == "http://\(host)" || $0.lowercased() == "https://\(host)" }) else {
            throw APIError(.forbidden, "foreignOrigin", "Pages of other sites may not send requests here.")
        }
        return try await next(request, context)
    }

    /// Gives `host` without its port.
    private static func name(of host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host }
        let port = host[host.index(after: colon)...]
        return port.allSatisfy { $0.isASCII && $0.isNumber } ? String(host[..<colon]) : host
    }
}
