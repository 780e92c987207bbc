//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

extension StoreError {
    /// Entities that are inserted only if they weren't found; a second attempt finds the entity of the other writer.
    private static let foundOrInserted: Set<String> = [
        Account.entityName, CommodityRange.entityName, ImportedJournal.entityName, JournalContent.entityName,
    ]

    /// This error, or a retryable conflict if another writer has inserted the missing entity first.
    var retryingLostInsertion: StoreError {
        guard code == .alreadyExists, let entity, Self.foundOrInserted.contains(entity.kind) else { return self }
        return StoreError(code: .versionConflict, message: message, entity: entity, cause: self)
    }
}
