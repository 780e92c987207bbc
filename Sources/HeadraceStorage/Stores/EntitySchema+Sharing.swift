// SPDX-License-Identifier: Apache-2.0

extension EntitySchema.Kind {
    /// Returns why a program with this declaration can't share a store with programs that have the stored declaration.
    ///
    /// - Parameters:
    ///   - version: The stored schema version.
    ///   - stored: The stored indexes.
    /// - Returns: The difference, for messages; `nil` if both can share the store.
    package func obstacle(toSharingWithVersion version: Int, indexes stored: [EntitySchema.Index]) -> String? {
        if schemaVersion > version {
            return "'\(name)' is stored with schema version \(version), and this program has version \(schemaVersion)"
        }
        let changed = stored.first { other in indexes.contains { $0.name == other.name && $0 != other } }
        return changed.map { "the index '\($0.name)' of '\(name)' has other properties in this program" }
    }
}
