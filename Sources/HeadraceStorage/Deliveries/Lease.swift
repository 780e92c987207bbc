//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The right to handle what is next in one lane, until it ends or somebody else has been given it.
///
/// A lane holds the deliveries of one stream to one subscription, in the order in which they were committed.
public struct Lease: Hashable, Sendable {
    /// The number of the lane; a store never uses one again.
    public let lane: Int64

    /// Fences the lease: each lease of a lane has a greater one, and what is done under an earlier one is refused.
    public let token: Int64

    /// Creates a lease, for stores.
    public init(lane: Int64, token: Int64) {
        self.lane = lane
        self.token = token
    }
}
