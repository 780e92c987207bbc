//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Hummingbird
import HTTPTypes

/// The response to a command that was handled.
public struct CommandResponse<Command>: Sendable {
    /// The status of the response.
    let status: HTTPResponse.Status

    /// Returns the path of the resource that the command has created.
    let location: (@Sendable (Command) -> String)?

    /// The status 204 without a body.
    public static var noContent: Self { Self(status: .noContent, location: nil) }

    /// The status 202, for a command whose effects aren't complete yet.
    public static var accepted: Self { Self(status: .accepted, location: nil) }

    /// The status 201, with the path of the created resource in the field `Location`.
    public static func created(at location: @escaping @Sendable (Command) -> String) -> Self {
        Self(status: .created, location: location)
    }

    func headers(for command: Command) -> HTTPFields {
        location.map { [.location: $0(command)] } ?? [:]
    }
}
#endif
