// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCore
import HTTPTypes

/// An HTTP request as the first message of its chain.
///
/// Its name, for logs, metrics, traces, and an inspector, is the method and the path of the route, such as
/// `POST /reservations/{id}`. An inspector also shows the status of the response.
public struct RequestMessage: NamedMessage, CustomStringConvertible {
    /// The method.
    public let method: String

    /// The path of the route with its parameters in braces; `nil` if no route has the path and the method.
    public let route: String?

    /// The name of the message.
    public var messageName: String { route.map { "\(method) \($0)" } ?? "no route" }

    /// The name of the message.
    public var description: String { messageName }

    init(_ method: HTTPRequest.Method, route: String?) {
        self.method = method.rawValue
        // The router calls the missing route so.
        self.route = route == "NotFound" ? nil : route
    }
}
#endif
