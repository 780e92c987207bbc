//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerJournal

/// Asks for the transactions of a journal to be posted, those of them that are not in the books already.
public struct ImportJournal: CQDCommand {
    /// The journal.
    public let journal: Journal

    /// The name under which the books know it: that of its file, wherever the file is.
    public let name: String

    /// Stands for the bytes of its file.
    public let content: Fingerprint

    /// Creates the command.
    public init(_ journal: Journal, named name: String, content: Fingerprint) {
        self.journal = journal
        self.name = name
        self.content = content
    }
}

extension ImportJournal: Encodable {
    // The content stands for the journal.
    private enum CodingKeys: CodingKey { case name, content }
}
