// SPDX-License-Identifier: Apache-2.0

#if Inspector
import NIOCore

/// Stops a request whose first line is too long.
///
/// The decoder of NIOHTTP1 limits header fields only. Empty lines before the request are left to the decoder.
final class RequestLineLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The error of a line that is too long.
    struct Exceeded: Error {
        /// Maximum length of the line in bytes.
        let limit: Int
    }

    /// Length of a method, a version, two spaces, and the line end in bytes.
    private static let lengthWithoutTarget = 28

    private let limit: Int

    /// Number of bytes until the limit; `nil` after the end of the line.
    private var remaining: Int?

    init(targetLength: Int) {
        limit = targetLength + Self.lengthWithoutTarget
        remaining = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let remaining {
            if bytes.readableBytesView.prefix(remaining).contains(UInt8(ascii: "\n")) {
                self.remaining = nil
            } else if bytes.readableBytes < remaining {
                self.remaining = remaining - bytes.readableBytes
            } else {
                self.remaining = 0
                return context.fireErrorCaught(Exceeded(limit: limit))
            }
        }
        context.fireChannelRead(data)
    }
}
#endif
