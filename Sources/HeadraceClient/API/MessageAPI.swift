// SPDX-License-Identifier: Apache-2.0

#if Client
public import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// The messages that a server handles for its clients, each with a method and a path.
///
/// Declare it once, in a module that the server and its clients import:
///
/// ```swift
/// let bookingAPI = MessageAPI([
///     .post("reservations", command: ReserveSeat.self, errors: [BookingError.self]),
///     .live("events/{event}/seats", query: SeatsLeft.self),
///     .get("reservations", stream: ListReservations.self),
/// ])
/// ```
///
/// A server of Hummingbird handles its messages with `try router.mount(bookingAPI, of: container)`. A client sends them with a
/// ``RemoteDispatcher``.
///
/// Other programs can call it, too. A message without a body is sent as parameters of the path and the query, all others as JSON.
/// Times are texts of ISO 8601 with milliseconds, and data is Base64.
public struct MessageAPI: Sendable {
    /// The routes.
    public let routes: [MessageRoute]

    /// Creates an API with `routes`.
    ///
    /// Nothing is checked before a server mounts it, or a ``RemoteDispatcher`` is created; see ``validate()``.
    public init(_ routes: [MessageRoute]) {
        self.routes = routes
    }

    /// Checks that each request leads to one message, that each message has one route, and that it has the parameters of its path.
    ///
    /// A message with parameters is decoded from made-up values, to learn the names of its members; a type that refuses them isn't
    /// checked.
    ///
    /// - Throws: ``MessageAPIError`` with all problems.
    public func validate() throws {
        var problems: [String] = []
        var paths: Set<String> = []
        var parameters: [String: String] = [:]
        var messages: Set<ObjectIdentifier> = []
        var commands: Set<String> = []
        for route in routes {
            problems += route.template.problems.map { "The path of '\(route)' \($0)" }
            if !paths.insert("\(route.method) \(route.template.shape)").inserted {
                problems.append("Another route has the method and the path of '\(route)'.")
            }
            // The router of a server can't tell apart two names in one place.
            for place in route.template.places {
                let known = parameters[place.shape, default: place.parameter]
                parameters[place.shape] = known
                if known == place.parameter { continue }
                problems.append("'\(route)' has '{\(place.parameter)}' where another route has '{\(known)}'.")
            }
            if !messages.insert(ObjectIdentifier(route.message)).inserted {
                problems.append("'\(String(naming: route.message))' has another route than '\(route)'.")
            }
            if !route.hasCodableOutput {
                problems.append("'\(String(naming: route.message))' returns a value that isn't 'Codable'.")
            }
            if let durable = route.message as? any DurableCommand.Type {
                if !commands.insert(durable.commandName).inserted {
                    problems.append("'\(String(naming: durable))' has the 'commandName' of another command.")
                }
                if durable.decodableVersions == nil {
                    let versions = durable.commandMigrations.map(\.version)
                    problems.append(
                        """
                        The migrations of '\(String(naming: durable))' start from the versions \(versions) and must lead, version by \
                        version, to its version \(durable.commandVersion).
                        """
                    )
                }
            }
            let required = route.template.parameters
            if !required.isEmpty, let message = route.message as? any Decodable.Type,
                let members = try? ShapeReader().members(of: message).map(\.name)
            {
                for parameter in required where !members.contains(parameter) {
                    problems.append(
                        "'\(String(naming: route.message))' has no member for '{\(parameter)}' of '\(route)'.")
                }
            }
            let names = route.errors.map(\.name)
            if Set(names).count < names.count { problems.append("Two errors of '\(route)' have one name.") }
        }
        if !problems.isEmpty { throw MessageAPIError(problems) }
    }
}

/// A declaration of an API that can't work, with all reasons.
public struct MessageAPIError: CodedError {
    /// The problems, each a sentence.
    public let problems: [String]

    /// Creates an error with the sentences in `problems`.
    package init(_ problems: [String]) {
        self.problems = problems
    }

    /// The only code: `invalidAPI`.
    public var code: String { "invalidAPI" }

    /// All problems.
    public var message: String {
        "The declaration of the API is invalid: \(problems.joined(separator: " ")) To fix, correct these routes."
    }
}
#endif
