// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A change of a property that a shared state keeps equal.
@usableFromInline
struct SharedChange: Sendable {
    /// The key of the subscription that keeps the property equal, within the child that has returned the effect.
    let key: SubscriptionKey

    /// Writes the shared value on the actor of the station, and returns the save that stores it; `nil` if it needn't be
    /// stored.
    ///
    /// The first argument is the object of the subscription; `nil` if the subscription hasn't begun. The second argument
    /// is the executor for the save; `nil` for the default executor.
    let write: @Sendable (AnyObject?, (any TaskExecutor)?) -> OneShot<Result<Void, any Error>>?
}
