//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A request to a route of the server, as a message for observers.
public struct WebRequest: Sendable, CustomStringConvertible {
    /// The method.
    public let method: String

    /// The path of the route, with its parameters in braces.
    public let path: String

    /// The method and the path.
    public var description: String { "\(method) \(path)" }
}
