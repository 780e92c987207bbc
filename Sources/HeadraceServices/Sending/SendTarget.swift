// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The destination of a `Send`.
///
/// It is a class so that passing a `Send` to a handler copies one pointer.
@usableFromInline
final class SendTarget: Sendable {
    typealias Operation = nonisolated(nonsending) @Sendable (any Action) async throws -> Void

    enum Kind: Sendable {
        case cluster(ClusterReference)
        case custom(Operation)
        case nowhere
    }

    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }
}
