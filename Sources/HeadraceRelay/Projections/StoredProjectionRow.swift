// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

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
