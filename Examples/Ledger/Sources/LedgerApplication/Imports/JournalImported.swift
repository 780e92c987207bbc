// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// A journal was imported.
public struct JournalImported: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "journal-imported"

    /// The name of the file, without the folder.
    public let journal: String

    /// Number of posted transactions.
    public let posted: Int

    /// Number of transactions that were posted before.
    public let known: Int
}
