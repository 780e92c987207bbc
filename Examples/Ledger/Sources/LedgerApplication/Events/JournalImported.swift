//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// A journal was imported.
public struct JournalImported: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "journal-imported"

    /// The name of its file.
    public let journal: String

    /// How many transactions were posted.
    public let posted: Int

    /// How many were in the books already.
    public let known: Int
}
