//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerJournal

/// A command that posts the transactions of a journal, except those that were posted before.
public struct ImportJournal: CQDCommand {
    /// The journal.
    public let journal: Journal

    /// The name of the journal's file, without the folder.
    public let name: String

    /// The fingerprint of the file's bytes.
    public let content: Fingerprint

    /// Creates the command.
    public init(_ journal: Journal, named name: String, content: Fingerprint) {
        self.journal = journal
        self.name = name
        self.content = content
    }
}

extension ImportJournal: Encodable {
    // The fingerprint identifies the journal.
    private enum CodingKeys: CodingKey { case name, content }
}
