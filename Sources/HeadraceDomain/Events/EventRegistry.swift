//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
public import HeadraceStorage

/// Knows the types of durable events by their stored names, and makes events of stored JSON, that of earlier versions
/// included.
///
/// A ``DomainEventHandlerRegistrar`` keeps one of the events that it has handlers for. Make your own to read the log:
///
/// ```swift
/// var events = EventRegistry()
/// try events.register(OrderPlaced.self)
/// let event = try events.decode(record.event)
/// ```
public struct EventRegistry: Sendable {
    private var types: [BytewiseString: any DurableDomainEvent.Type] = [:]

    /// Knows no event.
    public init() {}

    /// The names of all events that it knows, sorted.
    public var names: [String] { types.keys.sorted().map(\.text) }

    /// Adds `type`; adding it again changes nothing.
    ///
    /// - Throws: ``EventError`` with the code `ambiguousName` where another type has its name, and `invalidMigrations`
    ///   where its migrations do not lead from one version to the next, up to its own.
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

    /// Gives the type whose events are stored under `name`, or `nil` where nobody knows it.
    public func type(named name: String) -> (any DurableDomainEvent.Type)? {
        types[BytewiseString(name)]
    }

    /// Makes the event that was stored as `stored`, brought to the version of its type.
    ///
    /// - Throws: ``EventError`` with the code `unknownName`, `newerVersion`, `olderVersion` where no migration starts
    ///   from its version, or `undecodable`.
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
