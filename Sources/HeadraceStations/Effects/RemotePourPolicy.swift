//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a ``RemotePour`` does where its station is slower.
public struct RemotePourPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case suspend, latest }

    let kind: Kind

    /// Whoever pours is suspended until the action was reduced: nothing waits but those who pour.
    public static let suspend = RemotePourPolicy(kind: .suspend)

    /// Nobody is suspended; of the actions that have come while the station was busy only the last is reduced.
    public static let latest = RemotePourPolicy(kind: .latest)
}
