// SPDX-License-Identifier: Apache-2.0

#if Server
#if Webhooks
import AsyncHTTPClient
import Foundation
import HeadraceCore
import LedgerApplication
import Logging
import NIOCore
import NIOHTTP1

/// Sends events by POST requests.
///
/// A status from 200 to 299 accepts an event. A redirection doesn't, because the next address would get a GET request without
/// the event.
final class HTTPWebhook: Webhook {
    /// The time for a connection, the request, and the response.
    private static let timeout = TimeAmount.seconds(10)

    /// The response is read up to this number of bytes and for this time, so that the next request can use the connection.
    private static let responseLimit = (bytes: 64 << 10, time: Duration.seconds(1))

    private let url: URL
    private let client: HTTPClient
    private let clock: any TimeSource
    private let logger: Logger

    /// Creates a webhook whose limit for the time of a response is measured by `clock`.
    init(_ url: URL, clock: any TimeSource, logger: Logger) {
        self.url = url
        self.clock = clock
        self.logger = logger
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: Self.timeout)
        )
        // The relay tries again, and says why.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    deinit {
        // A client keeps itself until its connections are closed.
        client.shutdown { [logger] error in
            if let error { logger.warning("The client of the webhook has failed to shut down: \(error)") }
        }
    }

    func send(_ body: Data, id: UUID) async throws {
        let response = try await client.execute(request(body, id: id), timeout: Self.timeout, logger: logger)
        await read(response.body)
        guard (200...299).contains(response.status.code) else {
            throw WebhookError.refused(by: url, status: Int(response.status.code))
        }
    }

    /// Reads a body within the limits.
    ///
    /// The status decides, so a body that is too long, too slow, or incomplete only costs the connection. The time-out of a
    /// request ends with the head of the response.
    private func read(_ body: HTTPClientResponse.Body) async {
        await withTaskGroup(of: Void.self) { [clock] group in
            group.addTask { _ = try? await body.collect(upTo: Self.responseLimit.bytes) }
            group.addTask { try? await clock.sleep(for: Self.responseLimit.time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func request(_ body: Data, id: UUID) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
        request.headers.add(name: "Idempotency-Key", value: id.uuidString)
        if let user = url.user(percentEncoded: false) {
            request.setBasicAuth(username: user, password: url.password(percentEncoded: false) ?? "")
        }
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }
}
#endif
#endif
