// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sends mail.
///
/// Two mails with the same key are one mail, which was sent twice.
protocol Mailer: Sendable {
    func send(_ text: String, to customer: String, key: String) async throws
}

/// Stands in for a mail service: a file with a line for each mail.
actor MailFile: Mailer {
    private let path: String

    init(path: String) {
        self.path = path
    }

    var lines: [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func send(_ text: String, to customer: String, key: String) throws {
        if lines.contains(where: { $0.hasPrefix(key) }) { return }
        let all = lines + ["\(key) To \(customer): \(text)", ""]
        try all.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}
