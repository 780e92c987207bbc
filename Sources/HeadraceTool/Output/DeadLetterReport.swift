//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Tool
import Foundation
import HeadraceStorage

/// A dead letter with its message.
struct DeadLetterReport: Report {
    /// The message of a dead letter.
    struct Message: Encodable {
        let kind: String
        let name: String
        let version: Int
        let id: UUID

        /// The position in the log, if it is an event.
        let position: Int64?

        let stream: String?

        /// The time at which an event was recorded, or at which a scheduled message was due.
        let date: Date

        /// The stored JSON, as text.
        let content: String
    }

    let id: Int64
    let subscription: String
    let attempts: Int
    let givenUp: Date
    let reason: String

    /// The message; `nil` if it is no longer stored.
    let message: Message?

    init(_ letter: DeadLetter) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        givenUp = letter.date
        reason = letter.reason
        switch letter.content {
        case .event(let record):
            message = Message(
                kind: "event",
                name: record.event.name,
                version: record.event.version,
                id: record.event.id,
                position: record.position,
                stream: record.event.stream.map { "\($0)" },
                date: record.event.recordedAt,
                content: String(decoding: record.event.json, as: UTF8.self)
            )
        case .scheduled(let scheduled):
            message = Message(
                kind: scheduled.kind == .command ? "command" : "event",
                name: scheduled.name,
                version: scheduled.version,
                id: scheduled.id,
                position: nil,
                stream: scheduled.stream.map { "\($0)" },
                date: scheduled.dueAt,
                content: String(decoding: scheduled.json, as: UTF8.self)
            )
        case .missing:
            message = nil
        }
    }

    var lines: [String] {
        var lines = [
            "ID: \(id)",
            "subscription: \(subscription)",
            "attempts: \(attempts)",
            "given up: \(givenUp.text)",
            "reason: \(reason)",
        ]
        guard let message else { return lines + ["message: no longer stored"] }
        lines.append("\(message.kind): \(message.name), version \(message.version), ID \(message.id)")
        if let position = message.position { lines.append("position: \(position)") }
        if let stream = message.stream { lines.append("stream: \(stream)") }
        return lines + ["date: \(message.date.text)", "content: \(message.content)"]
    }

    /// The dead letter as one line.
    var line: String {
        let first = reason.split(separator: "\n", maxSplits: 1).first ?? ""
        return "\(id)  \(givenUp.text)  \(subscription)  \(message?.name ?? "(no longer stored)")  \(first)"
    }
}

/// A page of dead letters.
struct DeadLetterList: Report {
    let deadLetters: [DeadLetterReport]

    var lines: [String] {
        deadLetters.isEmpty ? ["There are no dead letters."] : deadLetters.map(\.line)
    }
}
#endif
