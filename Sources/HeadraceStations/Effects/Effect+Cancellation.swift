// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// The same effect with an id, with which ``cancel(id:)`` cancels it.
    ///
    /// The id is valid only in this child of this station.
    ///
    /// - Parameters:
    ///   - id: The id of the effect. Several effects with one id can run at once.
    ///   - cancelInFlight: Whether running effects with this id are cancelled before this effect begins. Defaults to
    ///     `false`.
    /// - Returns: The effect.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
        cancellable(id: id, policy: cancelInFlight ? .latest : .concurrent)
    }

    /// The same effect with an id, with which ``cancel(id:)`` cancels it.
    ///
    /// The `policy` decides when the effect begins while others with the id are running.
    public func cancellable(id: some Hashable & Sendable, policy: EffectPolicy) -> Effect {
        isNone ? self : Effect(.identified(EffectID(id), policy, self))
    }
}
