// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A destination of actions that handlers send: in production, a cluster.
///
/// `Send` knows this protocol instead of the cluster, because a cluster consists of handlers, and handlers hold a `Send`.
protocol ActionReceiver: AnyObject, Sendable {
    /// Maximum number of sends within each other, not counting the first.
    var depthLimit: Int { get }

    /// Passes `action` to the services that handle its type.
    nonisolated(nonsending) func send<A: Action>(_ action: A, from frame: SendFrame) async throws
}
