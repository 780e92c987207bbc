// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain

/// A token bucket in a store; a program that uses a ``SharedRateLimitMiddleware`` opens its store with this type.
///
/// ```swift
/// let store = try InMemoryStore(entities: [RateLimitBucket.self])
/// ```
///
/// Only the middleware reads and writes buckets.
public final class RateLimitBucket: StoredEntity {
    /// The stored name of the type.
    public static let entityName = "headrace.rateLimit"

    /// The name of the limit, then the parts of the key.
    public let id: String

    /// The instant at which the bucket is full again, in nanoseconds since 1970.
    let fullAgain: Int64

    /// Always empty, because buckets raise no events.
    public var raisedEvents = RaisedEvents()

    private enum CodingKeys: CodingKey { case id, fullAgain }

    init(id: String, fullAgain: Int64) {
        self.id = id
        self.fullAgain = fullAgain
    }
}
