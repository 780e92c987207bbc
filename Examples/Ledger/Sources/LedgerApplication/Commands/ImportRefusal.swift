//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// Says which transaction of a journal the domain has refused; nothing of the journal was imported.
public struct ImportRefusal: Error, Sendable, CustomStringConvertible {
    /// The name of the journal.
    public let journal: String

    /// The line on which the transaction begins, counting from 1.
    public let line: Int

    /// Why it was refused.
    public let refusal: PostingRefusal

    /// Where, and why.
    public var description: String {
        "\(journal):\(line): \(refusal.message) Nothing of '\(journal)' was imported."
    }
}
