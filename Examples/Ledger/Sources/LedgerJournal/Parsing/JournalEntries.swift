//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses the transactions of a journal one by one.
public struct JournalEntries: ~Copyable {
    private var reader: JournalReader

    /// Number of transactions that were returned by the reader.
    private var count = 0

    /// The transactions from the first balance assignment on.
    private var settled: ArraySlice<Journal.Entry>?

    /// Whether a line up to here claims a balance; see ``Journal/Entry/claimsBalances``.
    public private(set) var claimsBalances = false

    init(_ reader: JournalReader) {
        self.reader = reader
    }

    /// Returns the next transaction; `nil` after the last transaction.
    ///
    /// At the first balance assignment, the whole journal is parsed, because the amount depends on all transactions of
    /// earlier dates.
    ///
    /// - Throws: ``JournalError`` for the first invalid line. Don't call the method again after an error.
    public mutating func next() throws -> Journal.Entry? {
        while settled == nil, let entry = try reader.nextEntry() {
            claimsBalances = claimsBalances || entry.claimsBalances
            if entry.assignsBalances {
                var whole = reader.restarted
                settled = try whole.readJournal().settled().entries.dropFirst(count)
            } else if !entry.isVirtual && !entry.isEmpty {
                count += 1
                return entry
            }
        }
        return settled?.popFirst()
    }
}
