// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCommands
import HTTPTypes

/// The response to a command that was handled.
///
/// If the command has a result that is `Encodable`, each response but ``noContent`` has it as its body, encoded by the
/// encoder of the request's context.
public struct CommandResponse<Command: CQDCommand>: Sendable {
    /// The status, or `nil` for 200 with the result, or 204 if there is none.
    let status: HTTPResponse.Status?

    /// Returns the path of the resource that the command has created.
    let location: (@Sendable (Command, Command.Output) -> String)?

    /// The status 200 with the result of the command, or 204 without a body if the command has none.
    public static var automatic: Self { Self(status: nil, location: nil) }

    /// The status 204 without a body.
    public static var noContent: Self { Self(status: .noContent, location: nil) }

    /// The status 202, for a command whose effects aren't complete yet.
    public static var accepted: Self { Self(status: .accepted, location: nil) }

    /// The status 201, with the path of the created resource in the field `Location`.
    public static func created(at location: @escaping @Sendable (Command) -> String) -> Self {
        Self(status: .created) { command, _ in location(command) }
    }

    /// The status 201, with the path of the created resource, which the result names, in the field `Location`.
    public static func created(at location: @escaping @Sendable (Command, Command.Output) -> String) -> Self {
        Self(status: .created, location: location)
    }

    func headers(for command: Command, _ output: Command.Output) -> HTTPFields {
        location.map { [.location: $0(command, output)] } ?? [:]
    }
}
#endif
