//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What becomes of an effect that is to begin while others under its id are under way.
public struct EffectPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case concurrent, latest, drop
        case queue(limit: Int)
    }

    let kind: Kind

    /// It begins beside them.
    public static let concurrent = EffectPolicy(kind: .concurrent)

    /// They are cancelled, and it begins.
    public static let latest = EffectPolicy(kind: .latest)

    /// It is not done at all.
    public static let drop = EffectPolicy(kind: .drop)

    /// It begins when those before it have ended; where `limit` wait already, it is not done.
    ///
    /// - Parameter limit: How many may wait, besides the one that is under way; not negative.
    /// - Returns: The policy.
    public static func queue(limit: Int) -> EffectPolicy {
        precondition(limit >= 0, "A queue cannot hold \(limit) effects. To fix, give it a limit of 0 or more.")
        return EffectPolicy(kind: .queue(limit: limit))
    }
}
