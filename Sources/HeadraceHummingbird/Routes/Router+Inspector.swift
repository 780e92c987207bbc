// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import Foundation
import HTTPTypes
import HeadraceCore
public import HeadraceInspector
public import Hummingbird

extension Router {
    /// Adds the pages and streams of an inspector to the router.
    ///
    /// ```swift
    /// router.mountInspector(inspector)  // writes the path to open, with the token in it, to standard error
    /// ```
    ///
    /// Each request needs the token, as with an ``InspectorServer``; the accepted host names and all limits are in `limits`.
    /// The middleware that was added to the router before applies to the inspector, too. Add the inspector before a
    /// ``RequestMiddleware`` if its own requests must not appear in its flow.
    ///
    /// - Parameters:
    ///   - inspector: The inspector.
    ///   - path: The path below which the pages are, such as `/inspector`, without a slash at the end.
    ///   - allowsWrites: Whether operators may change deliveries, dead letters, and subscriptions.
    ///   - limits: Limits on requests.
    ///   - announce: Receives the path to open; by default writes it to standard error, which has no buffer. The path contains the
    ///     token, so don't send it to a log that others read.
    /// - Returns: The routes of the inspector, with the token.
    @discardableResult
    public func mountInspector(
        _ inspector: Inspector,
        at path: String = "/inspector",
        allowsWrites: Bool = false,
        limits: InspectorRoutes.Limits = InspectorRoutes.Limits(),
        announce: (String) -> Void = {
            FileHandle.standardError.write(Data("Inspector: \($0)\n".utf8))
        }
    ) -> InspectorRoutes {
        let routes = InspectorRoutes(inspector, basePath: path, allowsWrites: allowsWrites, limits: limits)
        mount(routes, at: path, bodyTime: RequestLimits().bodyTime, clock: ContinuousClock())
        announce(routes.signInPath)
        return routes
    }

    /// Adds `routes`, which refuse a body that takes longer than `bodyTime`.
    func mount(_ routes: InspectorRoutes, at path: String, bodyTime: Duration, clock: any TimeSource) {
        for pattern in [path, path + "/**"] {
            for method in [HTTPRequest.Method.get, .post] {
                on(RouterPath(pattern), method: method) { request, _ in
                    try await routes.response(to: request, bodyTime: bodyTime, clock: clock)
                }
            }
        }
    }
}

extension InspectorRoutes {
    /// Returns the response to a request.
    fileprivate func response(
        to request: Request,
        bodyTime: Duration,
        clock: any TimeSource
    ) async throws -> Response {
        // The first 'Host' field is the authority, and the header fields contain only further ones.
        let host = request.head.authority.map { [(name: "Host", value: $0)] } ?? []
        let answer = try await respond(
            to: InspectorRequest(
                method: request.method.rawValue,
                target: request.uri.string,
                headers: host + request.headers.map { (name: $0.name.rawName, value: $0.value) }
            )
        ) {
            // A request for a stream keeps its body, by which the stream notices that the client has gone.
            let bytes = try await request.collectedBody(upTo: limits.bodyLength, within: bodyTime, clock: clock)
            return Data(bytes.readableBytesView)
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        switch answer.body {
        case .data(let data):
            return Response(
                status: HTTPResponse.Status(code: answer.status),
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
            )
        case .stream(let events):
            // The stream has heartbeats of its own.
            return Response.eventStream(to: request, headers: headers, heartbeat: nil) { send in
                for await event in events { await send(ByteBuffer(bytes: event)) }
            }
        }
    }
}

extension Router {
    /// Answers requests with another method for a path of the router by the status 405 and the field `Allow`.
    ///
    /// Call it after all routes are added. Without it, such requests receive the status 404.
    public func refuseOtherMethods() {
        var methods: [String: (path: RouterPath, methods: Set<HTTPRequest.Method>)] = [:]
        for route in routes {
            methods[route.path.description, default: (route.path, [])].methods.insert(route.method)
        }
        for (path, allowed) in methods.values {
            let names = allowed.union(allowed.contains(.get) ? [.head] : [])
            let problem = Problem.unsupportedMethod(allowed: names)
            for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options]
            where !names.contains(method) {
                on(path, method: method) { _, _ -> Response in throw problem }
            }
        }
    }
}
#endif
