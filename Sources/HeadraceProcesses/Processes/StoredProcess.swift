// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import HeadraceDomain
import HeadraceStorage

/// The stored state of a ``DurableProcess``: add the type to the `entities` of the store.
///
/// ```swift
/// let store = try InMemoryStore(entities: [StoredProcess.self, Order.self])
/// ```
///
/// ``Processes`` reads it.
public final class StoredProcess: StoredEntity {
    /// The name under which processes are stored.
    public static let entityName = "headrace.process"

    /// The indexes, for ``Processes``.
    public static var indexes: [EntityIndex<StoredProcess>] { [.running, .ended] }

    /// A time-out that is set.
    struct Timeout: Codable, Hashable {
        /// The identifier of its message.
        ///
        /// Any other message for the same time-out is obsolete.
        let message: UUID

        let due: Date
    }

    /// The name of the process, a slash, and the stored text of its key.
    public let id: String

    /// The name of the process.
    let process: String

    /// The stored text of the key.
    let key: String

    /// The version of ``state``.
    var version: Int

    package internal(set) var step: String
    var state: JSONValue
    var timeouts: [String: Timeout] = [:]
    let startedAt: Date
    package internal(set) var endedAt: Date?

    /// Number of events and time-outs that the process has reacted to.
    var handledCount = 0

    /// Number of events that were ignored because the process had ended.
    var lateCount = 0

    /// The events of the process: none.
    public var raisedEvents = RaisedEvents()

    init<Process: DurableProcess>(_ process: Process, key: String, startedAt: Date) throws {
        id = Self.id(of: Process.processName, key: key)
        self.process = Process.processName
        self.key = key
        version = Process.processVersion
        step = process.step.rawValue
        state = try Self.json(of: process)
        self.startedAt = startedAt
    }

    static func id(of process: String, key: String) -> String { "\(process)/\(key)" }

    /// Replaces the state.
    func store<Process: DurableProcess>(_ process: Process) throws {
        version = Process.processVersion
        step = process.step.rawValue
        state = try Self.json(of: process)
    }

    private static func json(of process: some DurableProcess) throws -> JSONValue {
        try DocumentCoding.decode(JSONValue.self, from: DocumentCoding.encode(process))
    }

    /// Returns the state, migrated to the version of its type.
    ///
    /// The version must be one of ``DurableProcess/decodableVersions``.
    func read<Process: DurableProcess>(as type: Process.Type) throws -> Process {
        try Process.decode(DocumentCoding.encode(state), version: version)
    }
}

extension StoredProcess {
    /// The condition that a process hasn't ended.
    package static var isRunning: EntityCondition<StoredProcess> { .isAtLeast(.running, "") }
}

extension EntityIndex<StoredProcess> {
    /// The name of a process that hasn't ended.
    static var running: Self { EntityIndex("running") { $0.endedAt == nil ? $0.process : nil } }

    /// The time at which a process has ended.
    static var ended: Self { EntityIndex("ended") { $0.endedAt } }
}

extension DurableProcess {
    /// The versions that can be decoded; `nil` if the migrations don't lead, version by version, to ``processVersion``.
    static var decodableVersions: ClosedRange<Int>? {
        let versions = processMigrations.map(\.version)
        let first = processVersion - versions.count
        guard first >= 1, versions == Array(first..<processVersion) else { return nil }
        return first...processVersion
    }

    /// Decodes a state that was stored with `version`, which must be one of ``decodableVersions``.
    package static func decode(_ json: Data, version: Int) throws -> Self {
        let current = version < processVersion ? try processMigrations.migrate(json, from: version) : json
        return try DocumentCoding.decode(Self.self, from: current)
    }
}
