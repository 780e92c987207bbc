// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to the inspector, independent of the server.
public struct InspectorRequest: Sendable {
    /// The method in uppercase letters.
    public var method: String

    /// The percent-encoded path and query as the client sent them, including the base path of the routes.
    public var target: String

    /// The header fields in the order of the request.
    ///
    /// Names are case-insensitive.
    public var headers: [(name: String, value: String)]

    /// The complete body.
    ///
    /// The server must limit its size to ``InspectorRoutes/Limits/bodyLength``.
    public var body: Data

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: Data = Data()) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// Returns the values of all fields `name`, which must be lowercase.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the value of the field `name`, or `nil` unless there is exactly one such field.
    func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
