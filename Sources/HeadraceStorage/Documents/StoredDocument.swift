//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// An entity as a store keeps it.
public struct StoredDocument: Hashable, Sendable {
    /// Which entity it is.
    public let reference: EntityReference

    /// How often it has been written, counting from 1.
    public let version: Int

    /// The schema version of its type when it was written.
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
