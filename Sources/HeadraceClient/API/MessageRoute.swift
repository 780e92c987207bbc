// SPDX-License-Identifier: Apache-2.0

#if Client
public import HTTPTypes
public import HeadraceCommands
public import HeadraceCore

/// A message of a ``MessageAPI`` with its method and its path.
///
/// The path has parameters in braces, each the name of a member of the message: `events/{event}/seats`. A member is named as in
/// JSON, and routes that differ only after a parameter use the same name for it. All members of a query are texts, numbers,
/// Booleans, UUIDs, times, or lists of these.
public struct MessageRoute: Sendable, CustomStringConvertible {
    /// The method of the requests.
    public let method: HTTPRequest.Method

    /// The path with parameters in braces, relative to the address of the API.
    public var path: String { template.description }

    /// The type of the message.
    public let message: any DispatchedMessage.Type

    /// The method and the path, such as `POST /reservations`.
    public var description: String { "\(method.rawValue) \(path)" }

    let template: PathTemplate

    /// The errors that clients receive as the types that handlers throw.
    package let errors: [DeclaredError]

    /// Whether a client can decode what the handler returns.
    let hasCodableOutput: Bool

    /// Whether clients can observe the value of the query.
    package let isLive: Bool

    private let visit: @Sendable (MessageRoute, any MessageRouteVisitor) -> Void

    private init<Message: DispatchedMessage>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ message: Message.Type,
        _ errors: [any (CodedError & Codable).Type],
        hasCodableOutput: Bool = true,
        isLive: Bool = false,
        _ visit: @escaping @Sendable (MessageRoute, any MessageRouteVisitor) -> Void
    ) {
        self.method = method
        self.message = message
        self.errors = errors.map { DeclaredError($0) }
        self.hasCodableOutput = hasCodableOutput
        self.isLive = isLive
        self.visit = visit
        template = PathTemplate(path)
    }

    /// Calls the method of `visitor` for the kind of the message.
    package func accept(_ visitor: any MessageRouteVisitor) {
        visit(self, visitor)
    }
}

extension MessageRoute {
    /// A command that is sent with the method POST.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - command: The type of the command.
    ///   - errors: The types of the errors that a client receives as they are; each other error is a ``RemoteError`` for it. The
    ///     client receives all their members, so these must not contain secrets.
    /// - Returns: The route.
    public static func post<Command: CQDCommand & Codable>(
        _ path: String,
        command: Command.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute {
        route(.post, path, command, errors)
    }

    /// A command that is sent with the method PUT; see ``post(_:command:errors:)``.
    public static func put<Command: CQDCommand & Codable>(
        _ path: String,
        command: Command.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute {
        route(.put, path, command, errors)
    }

    /// A command that is sent with the method PATCH; see ``post(_:command:errors:)``.
    public static func patch<Command: CQDCommand & Codable>(
        _ path: String,
        command: Command.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute {
        route(.patch, path, command, errors)
    }

    /// A command that is sent with the method DELETE; see ``post(_:command:errors:)``.
    public static func delete<Command: CQDCommand & Codable>(
        _ path: String,
        command: Command.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute {
        route(.delete, path, command, errors)
    }

    private static func route<Command: CQDCommand & Codable>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ command: Command.Type,
        _ errors: [any (CodedError & Codable).Type]
    ) -> MessageRoute {
        let hasCodableOutput = Command.Output.self == Void.self || Command.Output.self is any Codable.Type
        return MessageRoute(method, path, command, errors, hasCodableOutput: hasCodableOutput) {
            $1.visit(command: command, of: $0)
        }
    }

    /// A query that is sent with the method GET.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - query: The type of the query.
    ///   - errors: The types of the errors that a client receives as they are; see ``post(_:command:errors:)``.
    /// - Returns: The route.
    public static func get<Query: CQDQuery & Codable>(
        _ path: String,
        query: Query.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute where Query.Value: Codable {
        MessageRoute(.get, path, query, errors) { $1.visit(query: query, of: $0) }
    }

    /// A query that is sent with the method GET, and whose value a client can also observe; see `RemoteDispatcher.observe(_:)`.
    ///
    /// A request that accepts only `text/event-stream` receives the value as a server-sent event, and an event with the new value
    /// whenever a commit has changed it. The server evaluates the query again for each change of what it has read.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - query: The type of the query.
    ///   - errors: The types of the errors that a client receives as they are; see ``post(_:command:errors:)``.
    /// - Returns: The route.
    public static func live<Query: CQDQuery & Codable>(
        _ path: String,
        query: Query.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute where Query.Value: Codable {
        MessageRoute(.get, path, query, errors, isLive: true) { $1.visit(query: query, of: $0) }
    }

    /// A stream query that is sent with the method GET, and whose values arrive as server-sent events.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - stream: The type of the query.
    ///   - errors: The types of the errors that a client receives as they are; see ``post(_:command:errors:)``.
    /// - Returns: The route.
    public static func get<Query: CQDStreamQuery & Codable>(
        _ path: String,
        stream: Query.Type,
        errors: [any (CodedError & Codable).Type] = []
    ) -> MessageRoute where Query.Element: Codable {
        MessageRoute(.get, path, stream, errors) { $1.visit(stream: stream, of: $0) }
    }
}

/// A server, or another program that needs the types of the messages.
package protocol MessageRouteVisitor {
    func visit<Command: CQDCommand & Codable>(command: Command.Type, of route: MessageRoute)
    func visit<Query: CQDQuery & Codable>(query: Query.Type, of route: MessageRoute) where Query.Value: Codable
    func visit<Query: CQDStreamQuery & Codable>(stream: Query.Type, of route: MessageRoute) where Query.Element: Codable
}

/// An error that travels from the server to a client with all its members.
package struct DeclaredError: Sendable {
    let type: any (CodedError & Codable).Type

    init(_ type: any (CodedError & Codable).Type) {
        self.type = type
    }

    /// The name in a problem: the name of the type without its module.
    package var name: String { "\(type)" }

    /// Returns `error` if it has the declared type.
    package func cast(_ error: any Error) -> (any Error & Encodable)? {
        Swift.type(of: error) == type ? error as? any Error & Encodable : nil
    }

    /// Decodes an error of the declared type.
    func decode(from decoder: any Decoder) throws -> any Error {
        try type.init(from: decoder)
    }
}
#endif
