// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Selects entries of the flow.
struct FlowFilter: Sendable, Equatable {
    /// Text in one of the shown texts, ignoring case.
    var search: String?

    /// Kind of the message or stage, such as `command`.
    var kind: String?

    /// Text in the name of the type, ignoring case.
    var type: String?

    /// Shortest duration in milliseconds.
    ///
    /// Entries in progress have no duration yet, so they don't match.
    var minimumDuration: Double?

    /// Whether only failures match.
    var failuresOnly = false

    /// Identifier of the first message of the chain.
    var correlation: UUID?

    /// Whether each entry matches.
    var isEmpty: Bool { self == FlowFilter() }

    /// Whether `entry` matches all criteria.
    func matches(_ entry: FlowEntry) -> Bool {
        if let kind, entry.kind != kind { return false }
        if let correlation, entry.correlation != correlation { return false }
        if failuresOnly, entry.outcome ?? "success" == "success" { return false }
        if let minimumDuration, (entry.duration ?? -1) < minimumDuration { return false }
        if let type, !Self.contains(entry.type, type) { return false }
        guard let search else { return true }
        let texts = [
            entry.kind, entry.type, entry.outcome, entry.failure, entry.payload, entry.note, entry.id?.uuidString,
            entry.correlation?.uuidString,
        ]
        return texts.contains { $0.map { Self.contains($0, search) } ?? false }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        text.range(of: part, options: .caseInsensitive) != nil
    }
}
