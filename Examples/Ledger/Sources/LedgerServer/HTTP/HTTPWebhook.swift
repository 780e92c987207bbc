//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends events by POST requests.
///
/// A status from 200 to 299 accepts an event.
struct HTTPWebhook: Webhook {
    /// An error that is thrown if the receiver hasn't accepted the event.
    struct Refused: Error, CustomStringConvertible {
        let url: URL
        let status: Int

        var description: String { "'\(url)' has responded with the status \(status)." }
    }

    private let url: URL
    private let session: URLSession

    init(_ url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 10
        configuration.httpCookieStorage = nil
        session = URLSession(configuration: configuration)
    }

    func send(_ body: Data, id: UUID) async throws {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json; charset=utf-8", forHTTPHeaderField: "Content-Type")
        request.setValue(id.uuidString, forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = body
        let (_, response) = try await session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else { throw Refused(url: url, status: status) }
    }
}
