// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceStorage

/// What the commits of one store have in common.
struct WriterContext: Sendable {
    /// Requires, in each transaction, the tables and indexes that the store was opened with.
    let check: FileSchemaCheck

    /// The file that the store has opened.
    ///
    /// Each transaction checks it immediately before `COMMIT`. If the file is gone, nothing is stored.
    let file: OpenedFile

    /// Decides whether a commit waits for the disk.
    let syncMode: SyncMode

    /// Is notified of each fault point that a commit passes.
    let faults: (@Sendable (FaultPoint) -> Void)?
}
#endif
