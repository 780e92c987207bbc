// SPDX-License-Identifier: Apache-2.0

/// The rule for a ``RemotePour`` that pours faster than its station reduces.
public struct RemotePourPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case suspend, latest }

    let kind: Kind

    /// The caller is suspended until its action was reduced, so no actions are buffered.
    public static let suspend = RemotePourPolicy(kind: .suspend)

    /// The caller isn't suspended.
    ///
    /// Of the actions that arrive while the station is busy, only the last is reduced.
    public static let latest = RemotePourPolicy(kind: .latest)
}
