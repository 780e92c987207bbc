// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
package import HeadraceStorage

/// Records the operations of operators as events of the log, which no subscription receives.
package struct OperatorLog: Sendable {
    /// The stored name of the events.
    package static let eventName = "headrace.operation"

    /// A recorded operation.
    package struct Operation: Codable, Sendable {
        /// The replacement of the content of a dead letter.
        package struct Correction: Codable, Sendable {
            /// The identifier of the message.
            package let id: UUID

            /// The stored name of the message.
            package let message: String

            /// The subscription of the dead letter.
            package let subscription: String

            /// The stored JSON before the correction.
            package let earlier: String

            /// The JSON that replaces it.
            package let corrected: String
        }

        /// The name of the operation.
        package let name: String

        /// The subscription, or the identifiers of the deliveries or dead letters.
        package let target: [String]

        /// The contents, if the operation corrects a dead letter.
        package let correction: Correction?

        package init(_ name: String, of target: [String], correction: Correction? = nil) {
            self.name = name
            self.target = target
            self.correction = correction
        }

        /// Reads a recorded operation; `nil` if it is malformed.
        package init?(json: Data) {
            guard let operation = try? JSONDecoder().decode(Operation.self, from: json) else { return nil }
            self = operation
        }

        /// The operation as it is recorded.
        package var json: Data {
            get throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return try encoder.encode(self)
            }
        }
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
    ///   - operation: The operation.
    ///   - operatorName: The name of the operator.
    /// - Throws: ``HeadraceStorage/StoreError``.
    package nonisolated(nonsending) func record(_ operation: Operation, by operatorName: String) async throws {
        let event = NewEvent(
            id: .version7(),
            name: Self.eventName,
            version: 1,
            stream: nil,
            recordedAt: store.relayClock(),
            json: try operation.json,
            origin: MessageOrigin(principalID: operatorName)
        )
        try await store.commit(ChangeSet(events: [event]))
    }
}
