//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses the transactions of a journal one by one.
public struct JournalEntries: ~Copyable {
    private var reader: JournalReader

    init(_ reader: JournalReader) {
        self.reader = reader
    }

    /// Returns the next transaction; `nil` after the last transaction.
    ///
    /// - Throws: ``JournalError`` for the first invalid line. Don't call the method again after an error.
    public mutating func next() throws -> Journal.Entry? {
        try reader.nextEntry()
    }
}
