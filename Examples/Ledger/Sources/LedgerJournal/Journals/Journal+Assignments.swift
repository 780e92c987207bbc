// SPDX-License-Identifier: Apache-2.0

extension Journal {
    /// A posting whose amount was missing and was computed from a balance.
    public struct Assignment: Sendable, Hashable {
        /// The positions of its postings in the transaction: one posting for each commodity.
        public internal(set) var postings: Range<Int>

        /// The balance as in the journal, after its mark: `= 5 EUR`.
        public let claim: String
    }
}

extension Journal.Entry {
    /// The balance assignments of the transaction, in the order of its postings.
    ///
    /// Their amounts are those of the parsed journal. They change if the journal gets transactions of earlier dates.
    public var assignments: [Journal.Assignment] {
        var assignments: [Journal.Assignment] = []
        var line: Int?
        for (index, posting) in written.lazy.filter({ $0.kind == .real }).enumerated() {
            guard posting.isComputed, let claim = posting.claim else { continue }
            if posting.line == line {
                let first = assignments[assignments.count - 1].postings.lowerBound
                assignments[assignments.count - 1].postings = first..<(index + 1)
            } else {
                assignments.append(Journal.Assignment(postings: index..<(index + 1), claim: claim.text))
            }
            line = posting.line
        }
        return assignments
    }
}
