//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A request to the inspector, as any server has it.
public struct InspectorRequest: Sendable {
    /// The method, in capital letters.
    public var method: String

    /// The path and the query as they were sent, percent-encoded; with the base path of the routes.
    public var target: String

    /// The header fields in the order sent; their names in any case.
    public var headers: [(name: String, value: String)]

    /// The body, which the server has read and limited; see ``InspectorRoutes/Limits/bodyLength``.
    public var body: Data

    /// Creates a request.
    public init(method: String, target: String, headers: [(name: String, value: String)], body: Data = Data()) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The values of the fields `name`, which is in small letters.
    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The value of the field `name`; `nil` where there is none, or more than one.
    func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
