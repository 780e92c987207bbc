//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Counts the connections that are open, and turns those away that are too many.
final class ConnectionLimit: Sendable {
    private let limit: Int
    private let count = Mutex(0)
    private let refusal: (head: HTTPResponse, body: Data)

    init(_ limit: Int) throws {
        self.limit = limit
        let error = APIError(
            .serviceUnavailable,
            "tooManyConnections",
            "The server has as many connections as it may have. Send it again later, on a connection that is kept.",
            retryAfter: 5
        )
        refusal = try JSONAnswer(ErrorWire(error), status: error.status).closing(retryAfter: error.retryAfter)
    }

    /// How many are open.
    var openCount: Int { count.withLock { $0 } }

    fileprivate func enter() -> Bool {
        count.withLock { count in
            if count >= limit { return false }
            count += 1
            return true
        }
    }

    fileprivate func leave() {
        count.withLock { $0 -= 1 }
    }

    /// Gives what watches one connection.
    func makeHandler() -> some RemovableChannelHandler {
        Handler(self)
    }

    private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let limit: ConnectionLimit
        private var hasEntered: Bool?

        init(_ limit: ConnectionLimit) {
            self.limit = limit
        }

        func handlerAdded(context: ChannelHandlerContext) {
            if context.channel.isActive { enter(context) }
        }

        func channelActive(context: ChannelHandlerContext) {
            enter(context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if hasEntered == true { limit.leave() }
            hasEntered = false
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if hasEntered == true { context.fireChannelRead(data) }
        }

        private func enter(_ context: ChannelHandlerContext) {
            if hasEntered != nil { return }
            hasEntered = limit.enter()
            if hasEntered == true { return }
            context.write(wrapOutboundOut(.head(limit.refusal.head)), promise: nil)
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: limit.refusal.body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }
}
