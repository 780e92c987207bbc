// SPDX-License-Identifier: Apache-2.0

/// The right to handle the next deliveries of one lane, until the lease expires or another lease of the lane is
/// granted.
///
/// A lane holds the deliveries of one stream to one subscription, in the order in which they were committed.
public struct Lease: Hashable, Sendable {
    /// The number of the lane, which a store never reuses.
    public let lane: Int64

    /// The fencing token: each lease of a lane has a greater token, and the store refuses changes under an earlier
    /// token.
    public let token: Int64

    /// Creates a lease, for stores.
    public init(lane: Int64, token: Int64) {
        self.lane = lane
        self.token = token
    }
}
