//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Where actions go that handlers send; an object, so that a handler is given one word of it.
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
