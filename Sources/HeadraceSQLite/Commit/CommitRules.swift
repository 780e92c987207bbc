// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceStorage

/// The rules for all commits of one store.
struct CommitRules: Sendable {
    /// Requires, in each transaction, the tables and indexes that the store was opened with.
    let check: FileSchemaCheck

    /// The file that the store has opened.
    ///
    /// Each transaction checks it immediately before `COMMIT`. If the file is gone, nothing is stored.
    let file: OpenedFile

    /// Decides whether a commit waits for the disk.
    let waiting: DiskWaiting

    /// Is notified of each fault point that a commit passes.
    let faults: (@Sendable (FaultPoint) -> Void)?
}
#endif
