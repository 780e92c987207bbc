// SPDX-License-Identifier: Apache-2.0

/// Identifies a subscription within a station.
struct SubscriptionKey: Hashable, Sendable {
    /// The children around the subscription, the outermost first.
    var path: [ChildKey] = []

    /// Number of the dripper that declares the subscription, counting from 1.
    let number: Int

    let id: EffectID
}
