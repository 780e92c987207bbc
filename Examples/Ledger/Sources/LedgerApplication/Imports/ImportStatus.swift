// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The state and the progress of an import job.
public struct ImportStatus: Sendable, Hashable {
    /// The identifier.
    ///
    /// Identifiers sort by the time of their creation.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// The journal whose transactions the import posts: that of this name or, if this is a copy, the copied journal.
    public let journal: String

    /// The state.
    public let state: ImportJob.State

    /// Number of processed transactions.
    public let done: Int

    /// Number of transactions in the journal.
    public let total: Int

    /// Whether the import posts all transactions in one unit of work, or in steps.
    public let isAtomic: Bool

    /// Number of posted transactions.
    public let posted: Int

    /// Number of transactions that were posted before.
    public let known: Int

    /// The reason of the failure; `nil` unless the job has failed.
    public let failure: ImportJob.Failure?

    /// Whether the job hasn't ended.
    public var isOpen: Bool { state == .queued || state == .running || state == .paused }
}
