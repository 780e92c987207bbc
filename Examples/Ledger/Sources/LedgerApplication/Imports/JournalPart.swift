// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// A part of a ``StoredJournal``.
public final class JournalPart: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "journal-part"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier of the import and the number of the part.
    public let id: String

    /// The bytes.
    public let bytes: Data

    /// Creates a part of the journal of the import `importID`.
    ///
    /// - Parameters:
    ///   - importID: The identifier of the import.
    ///   - number: The number of the part, counting from 0.
    ///   - bytes: The bytes.
    init(of importID: UUID, number: Int, bytes: Data) {
        id = Self.name(of: importID, number: number)
        self.bytes = bytes
    }

    /// Returns the identifier of a part.
    static func name(of importID: UUID, number: Int) -> String { "\(importID)/\(number)" }
}
