// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A message or a stage in the flow.
struct FlowEntry: Sendable, Equatable, Codable {
    /// Number of the entry, counting from 1; set by the buffer.
    var number: UInt64 = 0

    /// Revision of the buffer at the last change of the entry; set by the buffer.
    var revision: UInt64 = 0

    /// Number of the entry within which, or because of which, this entry began.
    var parent: UInt64?

    /// Identifier of the message; `nil` for a stage.
    var id: UUID?

    /// Kind of the message or stage.
    var kind: String

    /// Name of the type with its module; empty if the stage has no type.
    var type: String

    /// Identifier of the message that caused this entry.
    var cause: UUID?

    /// Identifier of the first message of the chain.
    var correlation: UUID?

    /// Start time, in milliseconds since 1970.
    var began: Double

    /// Duration in milliseconds; `nil` while the handling is in progress.
    var duration: Double?

    /// Code of the outcome; `nil` while the handling is in progress.
    var outcome: String?

    /// The error, as far as the redaction shows it.
    var failure: String?

    /// The content of the message, as far as the redaction shows it.
    var payload: String?

    /// Subscription and attempt of a delivery with the remark of its handler, or the result of a request.
    var note: String?

    /// The content that the redaction has hidden; `nil` if it has hidden none.
    var hidden: HiddenContent?

    /// `true` if an earlier run of the program has recorded the entry; `nil` otherwise.
    var isEarlier: Bool?

    /// Whether the handling is in progress.
    var isOpen: Bool { duration == nil && isEarlier != true }

    /// Approximate size in bytes.
    var byteCount: Int {
        let texts = [kind, type, outcome ?? "", failure ?? "", payload ?? "", note ?? ""]
        return texts.reduce(MemoryLayout<FlowEntry>.stride) { $0 + $1.utf8.count }
    }
}
