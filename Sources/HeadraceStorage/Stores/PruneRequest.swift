//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// What a store is to forget.
public struct PruneRequest: Sendable {
    /// Events recorded before this, unless they are still to be delivered or are dead letters; none where it is `nil`.
    public var eventsBefore: Date?

    /// Idempotency records of commands that took effect before this; none where it is `nil`.
    public var idempotencyRecordsBefore: Date?

    /// How many rows are removed at the most, so that others can write in between.
    public var limit: Int

    /// Creates a request.
    public init(eventsBefore: Date? = nil, idempotencyRecordsBefore: Date? = nil, limit: Int = 1_000) {
        self.eventsBefore = eventsBefore
        self.idempotencyRecordsBefore = idempotencyRecordsBefore
        self.limit = limit
    }
}
