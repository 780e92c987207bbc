// SPDX-License-Identifier: Apache-2.0

/// The origin of a transaction in a journal, by which an import recognizes a transaction that was posted before.
public struct JournalOrigin: Sendable, Hashable, Encodable {
    /// Identifies the journal and the transaction by their composed texts (Unicode normalization form C).
    public let fingerprint: Fingerprint

    /// Identifies them by the spelling of the journal; `nil` if that is composed.
    ///
    /// Earlier versions have stored this fingerprint.
    public let uncomposed: Fingerprint?

    /// Identifies them by the balances that amounts follow from, instead of the amounts; `nil` if all amounts are written.
    public let assignment: Fingerprint?

    /// Creates an origin.
    public init(_ fingerprint: Fingerprint, uncomposed: Fingerprint? = nil, assignment: Fingerprint? = nil) {
        self.fingerprint = fingerprint
        self.uncomposed = uncomposed
        self.assignment = assignment
    }
}

extension [JournalOrigin] {
    /// The fingerprints of these origins, which are those of a whole journal; empty if it has no balance assignment.
    public var ofAssigningJournal: Set<Fingerprint> {
        contains { $0.assignment != nil } ? Set(map(\.fingerprint)) : []
    }
}
