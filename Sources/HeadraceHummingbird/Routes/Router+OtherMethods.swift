// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
public import Hummingbird

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
