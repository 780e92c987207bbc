//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The transactions of a journal, read one by one: it holds the bytes and the transaction that is being read.
public struct JournalEntries: ~Copyable {
    private var reader: JournalReader

    init(_ reader: JournalReader) {
        self.reader = reader
    }

    /// Reads the next transaction, or gives nil after the last.
    ///
    /// - Throws: ``JournalError`` for the first line that is not understood; do not go on after it.
    public mutating func next() throws -> Journal.Entry? {
        try reader.nextEntry()
    }
}
