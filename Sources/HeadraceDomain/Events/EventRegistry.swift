// SPDX-License-Identifier: Apache-2.0

package import Foundation
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
