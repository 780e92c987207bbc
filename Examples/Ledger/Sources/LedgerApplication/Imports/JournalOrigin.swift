//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The place that a transaction was posted from: a journal, and a transaction in it.
public struct JournalOrigin: Sendable, Hashable, Encodable {
    /// Stands for the journal and the transaction, their texts composed.
    public let fingerprint: Fingerprint

    /// Stands for the same texts in the spelling of the journal, or nil if that is composed.
    ///
    /// Earlier versions have stored this fingerprint.
    public let uncomposed: Fingerprint?

    /// Creates an origin.
    public init(_ fingerprint: Fingerprint, uncomposed: Fingerprint? = nil) {
        self.fingerprint = fingerprint
        self.uncomposed = uncomposed
    }
}
