// SPDX-License-Identifier: Apache-2.0

/// The status mark of a transaction or a posting.
public enum TransactionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// No mark.
    case unmarked

    /// The mark `!`: pending.
    case pending

    /// The mark `*`: cleared.
    case cleared
}
