// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An entity in the form in which a store keeps it.
public struct StoredDocument: Hashable, Sendable {
    /// The entity.
    public let reference: EntityReference

    /// Number of times that the entity was written, counting from 1.
    public let version: Int

    /// The schema version of the type at the time of writing.
    public let schemaVersion: Int

    /// The JSON, in UTF-8.
    public let json: Data

    /// Creates a document.
    public init(reference: EntityReference, version: Int, schemaVersion: Int, json: Data) {
        self.reference = reference
        self.version = version
        self.schemaVersion = schemaVersion
        self.json = json
    }
}
