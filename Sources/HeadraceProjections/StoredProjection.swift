// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// The progress of one version of a projection, as it is stored.
///
/// Open the store of the projections with this type; see ``Projections/entities``.
public final class StoredProjection: StoredEntity {
    /// The name under which the progress is stored.
    public static let entityName = "headrace.projection"

    /// The indexes: the name of the projection.
    public static var indexes: [EntityIndex<StoredProjection>] { [.name] }

    /// The name and the version, divided by a slash.
    public let id: String

    let name: String
    let version: Int

    /// The position in the log of the last event that was applied, or passed over.
    private(set) var position: Int64 = 0

    /// Whether the version has ever applied the whole log, so that queries may read it.
    private(set) var isReady = false

    /// Whether its rows are being removed, so that no query may read them.
    private(set) var isRemoved = false

    /// Number of transactions that have deleted rows since ``isRemoved``; `nil` before the first one.
    private var removalCount: Int?

    /// The program that has applied events last.
    private(set) var holder: UUID?

    /// The time until which other programs leave the version to ``holder``.
    private(set) var leaseEnd: Date?

    /// The duration of the lease when it began, in milliseconds.
    private var leaseMilliseconds: Int64 = 0

    /// The last time at which a program has declared the version.
    private(set) var seenAt: Date

    /// The events of the projection: none.
    public var raisedEvents = RaisedEvents()

    init(_ version: ProjectionVersion, seenAt: Date) {
        id = version.text
        name = version.name
        self.version = version.number
        self.seenAt = seenAt
    }

    var projectionVersion: ProjectionVersion { ProjectionVersion(name: name, number: version) }

    /// Whether a program other than `program` is applying events.
    ///
    /// The lease saves two programs from doing the same work; the version of the entity keeps the rows right without it. So a
    /// lease whose end lies too far ahead counts as ended: the clock of the program that took it was wrong.
    func isHeld(fromOtherThan program: UUID, at now: Date) -> Bool {
        guard let holder, let leaseEnd, holder != program else { return false }
        return leaseEnd > now && leaseEnd.milliseconds - now.milliseconds <= leaseMilliseconds
    }

    /// Notes that `program` has applied the log up to `position`.
    func advance(to position: Int64, isReady: Bool, by program: UUID, for duration: Duration, at now: Date) {
        self.position = position
        self.isReady = self.isReady || isReady
        holder = program
        leaseEnd = Date(milliseconds: now.advanced(by: duration).milliseconds)
        leaseMilliseconds = (leaseEnd ?? now).milliseconds - now.milliseconds
        seenAt = now
    }

    /// Lets other programs apply events at once.
    func release() {
        holder = nil
        leaseEnd = nil
    }

    /// Notes that a program declares the version.
    func note(seenAt now: Date) { seenAt = now }

    /// Closes the version for queries, because its rows are removed from now on.
    func remove() { isRemoved = true }

    /// Changes the entity, so that a transaction that deletes rows fails if another program has changed or deleted it.
    func noteRemovedRows() { removalCount = (removalCount ?? 0) + 1 }
}

extension EntityIndex<StoredProjection> {
    static var name: Self { EntityIndex("name") { $0.name } }
}

extension [StoredProjection] {
    /// The version that queries read unless their program has another: the latest version that has applied the whole log.
    var active: StoredProjection? {
        filter { $0.isReady && !$0.isRemoved }.max { $0.version < $1.version }
    }

    /// The version that a program reads that declares `version` and can decode rows from `readableVersion` on.
    func readable(_ version: Int, from readableVersion: Int) -> StoredProjection? {
        let readable = filter { $0.isReady && !$0.isRemoved && readableVersion...version ~= $0.version }
        return readable.max { $0.version < $1.version }
    }
}

/// A row of a version of a projection, as it is stored.
///
/// Open the store of the projections with this type; see ``Projections/entities``. All projections share it, so that a program
/// can remove the rows of projections and versions that it doesn't know, and so that other indexes of a row don't change the
/// schema of the store.
public final class StoredProjectionRow: StoredEntity {
    /// The name under which rows are stored.
    public static let entityName = "headrace.projection-row"

    /// The indexes: the version, and one for each index of a row.
    public static var indexes: [EntityIndex<StoredProjectionRow>] { [.version] + .slots }

    /// The identifier of a row: the version of its projection, and its own key.
    public struct ID: EntityIdentifier, Codable {
        /// The stored text.
        public let storageKey: String

        init(_ version: ProjectionVersion, key: String) {
            storageKey = version.prefix + key
        }

        /// Reads the text.
        public init(from decoder: any Decoder) throws {
            storageKey = try decoder.singleValueContainer().decode(String.self)
        }

        /// Writes the text.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(storageKey)
        }
    }

    /// The identifier.
    public let id: ID

    /// The version of the projection.
    let version: String

    /// The values in the indexes of the row, in the order of the indexes.
    var values: [String?]

    /// The row as JSON.
    var content: String

    /// The events of the row: none.
    public var raisedEvents = RaisedEvents()

    init(_ version: ProjectionVersion, key: String, values: [String?], content: String) {
        id = ID(version, key: key)
        self.version = version.text
        self.values = values
        self.content = content
    }
}

extension EntityIndex<StoredProjectionRow> {
    static var version: Self { EntityIndex("version") { $0.version } }

    /// The index of the row's index at this position.
    static func slot(_ number: Int) -> Self {
        EntityIndex("value\(number)") { $0.values.indices.contains(number) ? $0.values[number] : nil }
    }
}

extension [EntityIndex<StoredProjectionRow>] {
    static var slots: Self { (0..<StoredProjectionRow.slotCount).map { .slot($0) } }
}

extension StoredProjectionRow {
    static let slotCount = 4
}

/// The name and the version of a projection.
struct ProjectionVersion: Hashable, Sendable {
    let name: String
    let number: Int

    /// The identifier of the version, which no other version has, because a name contains no slash.
    var text: String { "\(name)/\(number)" }

    /// The beginning of the keys and of the indexed values of the version.
    var prefix: String { "\(text)/" }

    /// A text after all texts with ``prefix``, and before all other texts that come after them.
    var end: String { "\(text)0" }
}
