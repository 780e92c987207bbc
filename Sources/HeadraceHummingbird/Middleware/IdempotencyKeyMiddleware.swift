// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceCore
import HeadraceRelay
public import Hummingbird
import Synchronization

/// Makes the command of a request with the header field `Idempotency-Key` take effect once.
///
/// ```swift
/// router.add(middleware: RequestMiddleware())
/// router.add(middleware: IdempotencyKeyMiddleware())
/// ```
///
/// The dispatcher needs an `IdempotencyMiddleware`, which stores the key and the outcome of the command together with its
/// changes. Without it, the field has no effect.
///
/// - A repeated request receives the outcome of the first request, in a response of the same form.
/// - While the first request is being handled by this process, a repeated request receives the status 409 with
///   `Retry-After`, or waits for the first with `waitsForFirst`. Another process always waits.
/// - A request with the same key and another command, or a command with other content, receives the status 422.
/// - A key that isn't 1 to 255 bytes of text, or that occurs twice, receives the status 400.
///
/// A request that fails stores nothing, so it can be sent again with the same key. The keys of different principals are
/// distinct. The field is ignored for the methods GET, HEAD, and OPTIONS.
///
/// Related documentation: <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>
public struct IdempotencyKeyMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The keys of the requests that are being handled.
    private final class KeysInUse: Sendable {
        private let keys = Mutex<Set<String>>([])

        func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
        func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
    }

    private let isRequired: Bool
    private let waitsForFirst: Bool
    private let keysInUse = KeysInUse()

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - isRequired: Whether a request without a key receives the status 400.
    ///   - waitsForFirst: Whether a repeated request waits for the outcome of the first. The draft demands 409, the default.
    ///     Wait if the clients are pages that repeat a request after a lost connection and show each refusal.
    public init(isRequired: Bool = false, waitsForFirst: Bool = false) {
        self.isRequired = isRequired
        self.waitsForFirst = waitsForFirst
    }

    /// Handles `request` with its key for the command that it dispatches.
    ///
    /// - Throws: ``Problem``; the errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if [.get, .head, .options].contains(request.method) { return try await next(request, context) }
        guard let given = try request.idempotencyKey else {
            if !isRequired { return try await next(request, context) }
            throw Problem(
                .badRequest,
                code: "keyMissing",
                "The request needs a key. To fix, set the field 'Idempotency-Key' to a text that no other request has."
            )
        }
        let key = MessageContext.currentPrincipal.map { "\($0.principalID)/\(given)" } ?? given
        if waitsForFirst { return try await IdempotencyMiddleware.withKey(key) { try await next(request, context) } }
        guard keysInUse.insert(key) else {
            throw Problem(
                .conflict,
                code: "keyInUse",
                "A request with the same 'Idempotency-Key' is being handled. To fix, wait, then send it again."
            )
            .retry(after: .seconds(1))
        }
        defer { keysInUse.remove(key) }
        return try await IdempotencyMiddleware.withKey(key) { try await next(request, context) }
    }
}

extension Request {
    private static var longestKey: Int { 255 }

    /// The key in the field `Idempotency-Key`, without quotation marks; `nil` if there is none.
    ///
    /// - Throws: ``Problem`` with the status 400 if the field occurs twice, or if the key doesn't have 1 to 255 bytes.
    public var idempotencyKey: String? {
        get throws {
            let keys = headers[values: .idempotencyKey]
            if keys.count > 1 {
                throw Problem.malformed("The field 'Idempotency-Key' occurs twice. To fix, send it once.")
            }
            guard var key = keys.first else { return nil }
            // The draft requires a quoted text, and many clients send one without quotes.
            if key.count >= 2, key.hasPrefix("\""), key.hasSuffix("\"") { key = String(key.dropFirst().dropLast()) }
            guard (1...Self.longestKey).contains(key.utf8.count) else {
                throw Problem.malformed("The field 'Idempotency-Key' must have 1 to \(Self.longestKey) bytes.")
            }
            return key
        }
    }
}
#endif
