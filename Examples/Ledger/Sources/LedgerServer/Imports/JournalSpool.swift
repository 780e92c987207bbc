// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation

/// Stores the journals of open imports, so that imports continue after a restart.
protocol JournalSpool: Sendable {
    /// Stores `bytes`, and returns when they are durable.
    ///
    /// - Returns: A lock that prevents other servers from deleting them, if one is needed. Hold it until the import is
    ///   stored.
    /// - Throws: `Problem` with the status 507 if the disk is full; `StoreError`.
    func keep(_ bytes: [UInt8], for id: UUID) async throws -> FolderLock?

    /// Returns the stored bytes.
    func bytes(of id: UUID) async throws -> [UInt8]

    /// Deletes the stored bytes, if there are any.
    func discard(_ id: UUID) async

    /// Deletes the journals that servers have left when they were killed.
    ///
    /// - Parameter open: Returns the identifiers of the open imports.
    /// - Throws: The error of `open`; `StoreError`.
    func discardLeftovers(except open: () async throws -> Set<UUID>) async throws
}
#endif
