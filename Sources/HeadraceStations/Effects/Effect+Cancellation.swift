//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Effect {
    /// The same effect, which ``cancel(id:)`` ends; `id` means something only in this node of this station.
    ///
    /// - Parameters:
    ///   - id: What to call it. Several may be under way under one id.
    ///   - cancelInFlight: Whether those that are under way are cancelled before it begins; not unless stated.
    /// - Returns: The effect.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
        cancellable(id: id, policy: cancelInFlight ? .latest : .concurrent)
    }

    /// The same effect, which ``cancel(id:)`` ends, and which begins as `policy` says.
    public func cancellable(id: some Hashable & Sendable, policy: EffectPolicy) -> Effect {
        isNone ? self : Effect(.identified(EffectID(id), policy, self))
    }
}
