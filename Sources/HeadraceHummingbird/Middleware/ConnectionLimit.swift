// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceCore
public import Hummingbird
public import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Limits the number of open connections of a server, and the time of requests that are answered before they are complete.
///
/// ```swift
/// let connections = ConnectionLimit(4_096)
/// let application = Application(
///     router: router,
///     server: .http1(configuration: .init(additionalChannelHandlers: [connections.makeHandler()]))
/// )
/// ```
///
/// - Further connections receive the status 503 with `Retry-After` before they have sent a request, and are closed.
/// - A client that has its answer, and goes on sending the body of its request, is cut off after the drain time. The answer can be
///   any: 404, 401, or 413, for example. If the request is complete in time, the connection stays open for the next one.
/// - A target of more than 8 KiB receives the status 414. A head of a request that exceeds the limits of the server receives the
///   status 431. Both connections are closed.
public struct ConnectionLimit: Sendable {
    private static let longestTarget = 8 << 10

    private let permits: Permits
    private let problem: Problem
    private let drainTime: Duration

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of open connections, at least 0.
    ///   - retryAfter: The time after which clients should try again, rounded up to whole seconds.
    ///   - drainTime: Time that a client has to complete a request that was answered already.
    public init(_ limit: Int, retryAfter: Duration = .seconds(5), drainTime: Duration = .seconds(1)) {
        permits = Permits(limit)
        problem = Problem(
            .serviceUnavailable,
            code: "tooManyConnections",
            "The server has too many connections. To fix, send it again later, on a connection that is kept open."
        )
        .retry(after: retryAfter)
        self.drainTime = drainTime
    }

    /// Returns the handler of a new connection.
    public func makeHandler() -> some RemovableChannelHandler {
        Handler(self)
    }

    private final class Handler: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        private let limit: ConnectionLimit
        private var isActive = false

        /// The permit, held while the connection is open; `nil` if there are too many connections, or if it is closed.
        private var permit: Permit?

        /// Whether nothing more is read, because the connection has its last answer.
        private var isRefused = false

        /// Number of requests that have begun and that have no complete answer.
        private var unanswered = 0

        /// Whether the last request that has begun is incomplete.
        private var isReading = false

        /// Closes the connection.
        private var drain: Scheduled<Void>?

        init(_ limit: ConnectionLimit) {
            self.limit = limit
        }

        func handlerAdded(context: ChannelHandlerContext) {
            if context.channel.isActive { activate(context) }
        }

        func channelActive(context: ChannelHandlerContext) {
            activate(context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            permit = nil
            endDrain()
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if permit == nil || isRefused { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                if head.path?.utf8.count ?? 0 > ConnectionLimit.longestTarget, unanswered == 0 {
                    refuse(
                        context,
                        Problem(
                            .uriTooLong, code: "targetTooLong",
                            "The path and the query are longer than 8 KiB. To fix, send a shorter query."))
                    return beginDrain(context)
                }
                unanswered += 1
                isReading = true
            case .body: break
            case .end:
                isReading = false
                endDrain()
            }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard error as? HTTPParserError == .headerOverflow, unanswered == 0, permit != nil, !isRefused else {
                return context.fireErrorCaught(error)
            }
            refuse(
                context,
                Problem(
                    .requestHeaderFieldsTooLarge, code: "headTooLong",
                    "The target or the header fields are too long, or there are too many. To fix, send fewer."))
            beginDrain(context)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) {
                unanswered -= 1
                if unanswered == 0, isReading { beginDrain(context) }
            }
            context.write(data, promise: promise)
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            // The client must close the other direction.
            if mode == .output { beginDrain(context) }
            context.close(mode: mode, promise: promise)
        }

        private func beginDrain(_ context: ChannelHandlerContext) {
            if drain != nil { return }
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            drain = context.eventLoop.scheduleTask(in: TimeAmount(limit.drainTime)) {
                bound.value.close(promise: nil)
            }
        }

        private func endDrain() {
            drain?.cancel()
            drain = nil
        }

        private func activate(_ context: ChannelHandlerContext) {
            if isActive { return }
            isActive = true
            permit = limit.permits.tryAcquire()
            if permit != nil { return }
            refuse(context, limit.problem)
            context.close(promise: nil)
        }

        /// Answers with `problem`, and ends the output.
        private func refuse(_ context: ChannelHandlerContext, _ problem: Problem) {
            isRefused = true
            let body = (try? problem.body) ?? ByteBuffer()
            var headers = problem.allHeaders
            headers[.connection] = "close"
            headers[.contentLength] = "\(body.readableBytes)"
            let head = HTTPResponse(status: problem.status, headerFields: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(body)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            // A connection that is closed at once would lose the answer if the client is still sending.
            context.close(mode: .output, promise: nil)
        }
    }
}

/// Limits the number of requests that are handled at the same time.
///
/// A further request receives the status 503 with `Retry-After` at once, so that a server under too much load answers. A
/// request counts until its response is written, so an open event stream counts too.
public struct ConcurrencyLimitMiddleware<Context: RequestContext>: RouterMiddleware {
    private let permits: Permits
    private let retryAfter: Duration

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - limit: The number of requests that may be handled at the same time.
    ///   - retryAfter: The time after which clients should try again, rounded up to whole seconds.
    /// - Precondition: `limit` must not be negative.
    public init(_ limit: Int, retryAfter: Duration = .seconds(1)) {
        permits = Permits(limit)
        self.retryAfter = retryAfter
    }

    /// Handles `request` if the limit isn't reached.
    ///
    /// - Throws: ``Problem`` if it is reached; the errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let permit = permits.tryAcquire() else {
            throw Problem(
                .serviceUnavailable,
                code: "overloaded",
                "The server handles too many requests. To fix, send it again after the time in 'Retry-After'."
            )
            .retry(after: retryAfter)
        }
        var response = try await next(request, context)
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { withExtendedLifetime(permit) {} }
            try await body.write(writer)
        }
        return response
    }
}
#endif
