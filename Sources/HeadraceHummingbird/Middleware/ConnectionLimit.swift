//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Hummingbird
import HTTPTypes
import HeadraceCore
public import NIOCore
import NIOHTTPTypes

/// Limits the number of open connections of a server.
///
/// ```swift
/// let connections = ConnectionLimit(4_096)
/// let application = Application(
///     router: router,
///     server: .http1(configuration: .init(additionalChannelHandlers: [connections.makeHandler()]))
/// )
/// ```
///
/// Further connections receive the status 503 with `Retry-After` before they have sent a request, and are closed.
public struct ConnectionLimit: Sendable {
    private let permits: Permits
    private let problem: Problem

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of open connections, at least 0.
    ///   - retryAfter: The time after which clients should try again, rounded up to whole seconds.
    public init(_ limit: Int, retryAfter: Duration = .seconds(5)) {
        permits = Permits(limit)
        problem = Problem(
            .serviceUnavailable,
            code: "tooManyConnections",
            "The server has too many connections. To fix, send it again later, on a connection that is kept open."
        )
        .retry(after: retryAfter)
    }

    /// Returns the handler of a new connection.
    public func makeHandler() -> some RemovableChannelHandler {
        Handler(self)
    }

    private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let limit: ConnectionLimit
        private var isActive = false

        /// The permit, held while the connection is open; `nil` if the connection is refused or closed.
        private var permit: Permit?

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
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if permit != nil { context.fireChannelRead(data) }
        }

        private func activate(_ context: ChannelHandlerContext) {
            if isActive { return }
            isActive = true
            permit = limit.permits.tryAcquire()
            if permit != nil { return }
            let body = (try? limit.problem.body) ?? ByteBuffer()
            var headers = limit.problem.allHeaders
            headers[.connection] = "close"
            headers[.contentLength] = "\(body.readableBytes)"
            let head = HTTPResponse(status: limit.problem.status, headerFields: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(body)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }
}
#endif
