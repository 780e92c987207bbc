//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Some of the entities that a query matches, in its order, and where the next ones begin.
public struct EntityPage<Entity: StoredEntity> {
    /// The entities, each the same object that the context gave before.
    public let entities: [Entity]

    /// Where the next page begins; `nil` where there was nothing left.
    public let next: PageCursor?
}
