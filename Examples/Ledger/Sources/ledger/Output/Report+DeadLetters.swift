// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage

extension Report {
    /// Returns a dead letter as one line: its number, subscription, content, and reason.
    static func line(_ letter: DeadLetter) -> String {
        let reason = letter.reason.split(separator: "\n", maxSplits: 1).first ?? ""
        return printable("\(letter.id)  \(letter.subscription)  \(letter.content.name)  \(reason)")
    }

    /// Returns all details of a dead letter.
    static func lines(of letter: DeadLetter) -> [String] {
        var lines = [
            "number: \(letter.id)",
            "subscription: \(letter.subscription)",
            "attempts: \(letter.attempts)",
            "given up: \(letter.date.formatted(.iso8601))",
            "reason: \(letter.reason)",
        ]
        switch letter.content {
        case .event(let record):
            lines += [
                "event: \(record.event.name), version \(record.event.version), position \(record.position)",
                "stream: \(record.event.stream.map { "\($0)" } ?? "none")",
                "recorded: \(record.event.recordedAt.formatted(.iso8601))",
                "content: \(String(decoding: record.event.json, as: UTF8.self))",
            ]
        case .scheduled(let message):
            lines += [
                "scheduled: \(message.name), version \(message.version), due \(message.dueAt.formatted(.iso8601))",
                "content: \(String(decoding: message.json, as: UTF8.self))",
            ]
        case .missing:
            lines.append("content: no longer stored")
        }
        return lines.map(printable)
    }
}

extension Delivery.Content {
    fileprivate var name: String {
        switch self {
        case .event(let record): record.event.name
        case .scheduled(let message): message.name
        case .missing: "(no longer stored)"
        }
    }
}
