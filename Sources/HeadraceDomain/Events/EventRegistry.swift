// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import HeadraceCore
public import HeadraceStorage

/// The types of durable events by their stored names; decodes stored events, including events of earlier versions.
///
/// A ``DomainEventHandlerRegistrar`` has a registry of the events of its handlers. Create your own registry to read the
/// log:
///
/// ```swift
/// var events = EventRegistry()
/// try events.register(OrderPlaced.self)
/// let event = try events.decode(record.event)
/// ```
public struct EventRegistry: Sendable {
    private var types: [BytewiseString: any DurableDomainEvent.Type] = [:]

    /// Creates an empty registry.
    public init() {}

    /// The names of all registered events, sorted.
    package var names: [String] { types.keys.sorted().map(\.text) }

    /// Adds `type`; adding it again changes nothing.
    ///
    /// - Throws: ``EventError`` with the code `ambiguousName` if another type has the same name, and
    ///   `invalidMigrations` if the migrations don't lead from one version to the next, up to the version of the type.
    public mutating func register<Event: DurableDomainEvent>(_ type: Event.Type) throws {
        let known = types[BytewiseString(Event.eventName)]
        if let known, known != type {
            throw EventError.ambiguous(Event.eventName, known, type)
        }
        let versions = Event.eventMigrations.map(\.version)
        if versions != Array((Event.eventVersion - versions.count)..<Event.eventVersion)
            || versions.contains(where: { $0 < 1 })
        {
            throw EventError.invalidMigrations(of: type, versions: versions)
        }
        types[BytewiseString(Event.eventName)] = type
    }

    /// Returns the type whose events are stored under `name`, or `nil` if the name is unknown.
    package func type(named name: String) -> (any DurableDomainEvent.Type)? {
        types[BytewiseString(name)]
    }

    /// Decodes a stored event and migrates it to the version of its type.
    ///
    /// - Throws: ``EventError`` with the code `unknownName`, `newerVersion`, `olderVersion` if no migration starts from
    ///   the stored version, or `undecodable`.
    public func decode(_ stored: NewEvent) throws -> any DurableDomainEvent {
        try decode(stored.json, name: stored.name, version: stored.version)
    }

    /// The versions of the event `name` that can be decoded, or `nil` if the name is unknown.
    package func versions(of name: String) -> ClosedRange<Int>? {
        type(named: name).map { max(1, $0.eventVersion - $0.eventMigrations.count)...max(1, $0.eventVersion) }
    }

    package func decode(_ json: Data, name: String, version: Int) throws -> any DurableDomainEvent {
        guard let type = type(named: name) else { throw EventError.unknown(name) }
        return try Self.decode(json, version: version, as: type)
    }

    private static func decode<Event: DurableDomainEvent>(
        _ json: Data,
        version: Int,
        as type: Event.Type
    ) throws -> Event {
        if version > Event.eventVersion { throw EventError.newer(type, version: version) }
        do {
            var current = json
            if version < Event.eventVersion {
                let migrations = Event.eventMigrations
                if migrations.count(where: { $0.version >= version }) != Event.eventVersion - version {
                    throw EventError.older(type, version: version)
                }
                current = try migrations.migrate(json, from: version)
            }
            return try DocumentCoding.decode(Event.self, from: current)
        } catch let error as EventError {
            throw error
        } catch {
            throw EventError.undecodable(type, version: version, cause: error)
        }
    }
}

/// An error of a stored event or of its type.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct EventError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<EventError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension EventError {
    static func invalidSubscriptions(_ mistakes: [String]) -> EventError {
        EventError(.invalidSubscriptions, mistakes.joined(separator: "\n"))
    }

    static func unknown(_ name: String) -> EventError {
        EventError(
            .unknownName,
            """
            No type of event with the name '\(name)' is registered. To fix, register the type with this name, or a \
            handler of it. A type may be renamed, but its 'eventName' may not.
            """
        )
    }

    static func newer(_ type: any DurableDomainEvent.Type, version: Int) -> EventError {
        EventError(
            .newerVersion,
            """
            '\(type.eventName)' was stored with version \(version); '\(String(naming: type))' knows \
            \(type.eventVersion). To fix, run the version of the program that wrote it, or a later one.
            """
        )
    }

    static func older(_ type: any DurableDomainEvent.Type, version: Int) -> EventError {
        EventError(
            .olderVersion,
            """
            '\(type.eventName)' was stored with version \(version), from which no migration of \
            '\(String(naming: type))' starts. To fix, add 'JSONMigration(from: \(version))' to its \
            'eventMigrations'.
            """
        )
    }

    static func undecodable(_ type: any DurableDomainEvent.Type, version: Int, cause: any Error) -> EventError {
        EventError(
            .undecodable,
            """
            '\(type.eventName)', stored with version \(version), does not decode as '\(String(naming: type))': \
            \(cause). To fix, raise 'eventVersion' and add a migration, or make the type decode the stored JSON.
            """,
            cause: cause
        )
    }

    static func ambiguous(
        _ name: String,
        _ one: any DurableDomainEvent.Type,
        _ other: any DurableDomainEvent.Type
    ) -> EventError {
        EventError(
            .ambiguousName,
            """
            '\(String(naming: one))' and '\(String(naming: other))' both have the eventName '\(name)'. \
            To fix, give each type a unique name.
            """
        )
    }

    static func invalidMigrations(of type: any DurableDomainEvent.Type, versions: [Int]) -> EventError {
        EventError(
            .invalidMigrations,
            """
            The migrations of '\(String(naming: type))' start from the versions \(versions) and must lead, version by \
            version, to its version \(type.eventVersion). To fix, order them and fill the gaps.
            """
        )
    }
}

extension ErrorCode<EventError> {
    /// The name under which the event is stored belongs to no registered type.
    public static var unknownName: Self { Self() }

    /// A later version of the program has stored the event.
    public static var newerVersion: Self { Self() }

    /// No migration starts from the version under which the event is stored.
    public static var olderVersion: Self { Self() }

    /// The JSON can't be decoded as the type, or a migration has failed.
    public static var undecodable: Self { Self() }

    /// Two types have the same name.
    public static var ambiguousName: Self { Self() }

    /// The migrations of a type are out of order, or a migration is missing.
    public static var invalidMigrations: Self { Self() }

    /// Handlers declare subscriptions that contradict one another, or that can't receive deliveries.
    public static var invalidSubscriptions: Self { Self() }
}

/// A command that can be stored and carried out later.
///
/// ```swift
/// struct SendReminder: CQDCommand, DurableCommand {
///     static let commandName = "send-reminder"
///     var customerId: UUID
/// }
///
/// relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
/// ```
///
/// `send(_:id:)` and `schedule(_:at:id:)` of an ``EntityContext`` store it together with the changes of a unit of work.
public protocol DurableCommand: Codable, Sendable {
    /// The name under which the command is stored, which must never change, even if the type is renamed.
    static var commandName: String { get }

    /// The version of the command's shape, counting from 1; the default is 1.
    static var commandVersion: Int { get }

    /// The migrations of commands from earlier versions; none by default.
    ///
    /// There must be one migration for each earlier version that may still be stored, in order, up to ``commandVersion``.
    static var commandMigrations: [JSONMigration] { get }
}

extension DurableCommand {
    /// The default, version 1.
    public static var commandVersion: Int { 1 }

    /// No migrations.
    public static var commandMigrations: [JSONMigration] { [] }
}

extension DurableCommand {
    /// The versions that can be decoded; `nil` if the migrations don't lead, version by version, to ``commandVersion``.
    package static var decodableVersions: ClosedRange<Int>? {
        let versions = commandMigrations.map(\.version)
        let first = commandVersion - versions.count
        guard first >= 1, versions == Array(first..<commandVersion) else { return nil }
        return first...commandVersion
    }

    /// Decodes a command that was stored with `version`, which must be one of ``decodableVersions``.
    package static func decode(_ json: Data, version: Int) throws -> Self {
        let current = version < commandVersion ? try commandMigrations.migrate(json, from: version) : json
        return try DocumentCoding.decode(Self.self, from: current)
    }
}
