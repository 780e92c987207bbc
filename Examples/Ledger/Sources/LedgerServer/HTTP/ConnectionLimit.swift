//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import NIOCore
import NIOHTTPTypes

/// Limits the number of open connections.
///
/// Further connections receive the status 503 and are closed.
final class ConnectionLimit: Sendable {
    private let permits: Permits
    private let refusal: (head: HTTPResponse, body: Data)

    init(_ limit: Int) throws {
        permits = Permits(limit)
        let error = APIError(
            .serviceUnavailable,
            "tooManyConnections",
            "The server has too many connections. To fix, send it again later, on a connection that is kept open.",
            retryAfter: 5
        )
        refusal = try JSONAnswer(ErrorResponse(error), status: error.status).closing(retryAfter: error.retryAfter)
    }

    /// Returns the handler of a new connection.
    func makeHandler() -> some RemovableChannelHandler {
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
            context.write(wrapOutboundOut(.head(limit.refusal.head)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: limit.refusal.body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }
}
