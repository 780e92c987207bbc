// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation
import HeadraceStorage

/// A dead letter with its message.
struct DeadLetterReport: Report {
    let id: Int64
    let subscription: String
    let attempts: Int
    let givenUp: Date
    let reason: String

    /// Whether an operator has corrected the content of the message.
    let isCorrected: Bool

    /// The message; `nil` if it is no longer stored.
    let message: MessageReport?

    init(_ letter: DeadLetter) {
        id = letter.id
        subscription = letter.subscription
        attempts = letter.attempts
        givenUp = letter.date
        reason = letter.reason
        isCorrected = letter.isCorrected
        message = MessageReport(letter.content)
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
        lines.append("date: \(message.date.text)")
        return lines + ["\(isCorrected ? "corrected content" : "content"): \(message.content)"]
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
