//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A message, or a stage of one, as the flow shows it.
struct FlowEntry: Sendable, Equatable, Encodable {
    /// Counts the entries, from 1; set by the buffer.
    var number: UInt64 = 0

    /// Grows with each change of any entry; set by the buffer.
    var revision: UInt64 = 0

    /// The number of the entry within or by which this one began.
    var parent: UInt64?

    /// The identifier of the message; of a stage, none.
    var id: UUID?

    /// The word for what it is.
    var kind: String

    /// The name of its type, with the module; empty where it has none.
    var type: String

    /// The message that has caused it.
    var cause: UUID?

    /// The first message of its chain.
    var correlation: UUID?

    /// When it began, in milliseconds since 1970.
    var began: Double

    /// How long it took, in milliseconds; `nil` while it goes on.
    var duration: Double?

    /// How it has ended, in a word; `nil` while it goes on.
    var outcome: String?

    /// Why it has failed, as far as that may be shown.
    var failure: String?

    /// What it says, as far as that may be shown.
    var payload: String?

    /// What else is known: the subscription and the attempt of a delivery.
    var note: String?

    /// About how many bytes it takes.
    var byteCount: Int {
        let texts = [kind, type, outcome ?? "", failure ?? "", payload ?? "", note ?? ""]
        return texts.reduce(MemoryLayout<FlowEntry>.stride) { $0 + $1.utf8.count }
    }

    /// Whether `text` is in anything that is shown of it, whatever the case.
    func contains(_ text: String) -> Bool {
        let texts = [kind, type, outcome, failure, payload, note, id?.uuidString, correlation?.uuidString]
        return texts.contains { $0?.range(of: text, options: .caseInsensitive) != nil }
    }
}
