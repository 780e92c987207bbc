//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
package import HeadraceStorage

/// Records the operations of operators as events of the log, which no subscription receives.
package struct OperatorLog: Sendable {
    /// The stored name of the events.
    package static let eventName = "headrace.operation"

    private struct Operation: Encodable {
        let name: String
        let target: [String]
    }

    private let store: any DeliveryStore

    package init(in store: any DeliveryStore) {
        self.store = store
    }

    /// Records that an operator begins an operation.
    ///
    /// It is recorded before the operation is carried out. So the log has each operation that took effect, and perhaps some
    /// that failed.
    ///
    /// - Parameters:
    ///   - operation: The name of the operation.
    ///   - target: The subscription, or the identifiers of the deliveries or dead letters.
    ///   - operatorName: The name of the operator.
    /// - Throws: ``HeadraceStorage/StoreError``.
    package nonisolated(nonsending) func record(_ operation: String, of target: [String], by operatorName: String)
        async throws
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let event = NewEvent(
            id: .version7(),
            name: Self.eventName,
            version: 1,
            stream: nil,
            recordedAt: store.relayClock(),
            json: try encoder.encode(Operation(name: operation, target: target)),
            origin: MessageOrigin(principalID: operatorName)
        )
        try await store.commit(ChangeSet(events: [event]))
    }
}
