// SPDX-License-Identifier: Apache-2.0

#if Inspector
import Foundation
import NIOCore
import NIOHTTP1

/// Collects the parts of one request, within ``InspectorRoutes/Limits``.
///
/// It passes on one outcome. The input after it is read and discarded. If the socket was closed with bytes unread, the system would
/// reset the connection, and the client could lose the response.
final class RequestCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Outcome
    typealias OutboundOut = HTTPServerResponsePart

    /// The result of reading.
    enum Outcome: Sendable {
        /// A complete request, with the version of its client.
        case request(InspectorRequest, HTTPVersion)

        /// A request to refuse, with the status and the reason.
        case refusal(Int, String)
    }

    /// The event that ends the reading of a request that is too slow.
    struct TimeLimitReached: Sendable {}

    private let limits: InspectorRoutes.Limits
    private var head: HTTPRequestHead?
    private var body = Data()
    private var isDone = false

    init(limits: InspectorRoutes.Limits) {
        self.limits = limits
    }

    /// Adds a collector and the handlers that it needs.
    ///
    /// The limits of the decoder stop a head before it is complete. ``InspectorRoutes`` check the exact limits.
    static func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        limits: InspectorRoutes.Limits
    ) throws {
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.headerLength
        configuration.maxHeaderListSize = limits.targetLength + limits.headerLength
        configuration.maxHeaderFieldCount = limits.headerCount
        try pipeline.addHandlers(
            RequestLineLimit(targetLength: limits.targetLength),
            HTTPResponseEncoder(),
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: configuration)),
            RequestCollector(limits: limits)
        )
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDone { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            if let refusal = refusal(of: head) { return finish(refusal, context) }
            if head.expectsContinue {
                let head = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            }
        case .body(let bytes):
            // The length of the body was checked with the head.
            body.append(contentsOf: bytes.readableBytesView)
        case .end:
            guard let head else { return }
            let request = InspectorRequest(
                method: head.method.rawValue,
                target: head.uri,
                headers: head.headers.map { (name: $0.name, value: $0.value.trimmingCharacters(in: .whitespaces)) },
                body: body
            )
            finish(.request(request, head.version), context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TimeLimitReached {
            finish(.refusal(408, "The request didn't arrive in time."), context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as RequestLineLimit.Exceeded:
            finish(.refusal(414, "The request line is longer than \(error.limit) bytes."), context)
        case HTTPParserError.headerOverflow:
            let message = "There are more than \(limits.headerCount) header fields, or they are longer than "
            finish(.refusal(431, message + "\(limits.headerLength) bytes."), context)
        case HTTPParserError.invalidVersion:
            finish(.refusal(505, "The version of HTTP is not 1.1."), context)
        case is HTTPParserError, is ByteToMessageDecoderError:
            finish(.refusal(400, "The request is malformed."), context)
        default:
            context.fireErrorCaught(error)
        }
    }

    private func finish(_ outcome: Outcome, _ context: ChannelHandlerContext) {
        if isDone { return }
        isDone = true
        context.fireChannelRead(wrapInboundOut(outcome))
        // An error or a time limit isn't part of a read, so nothing else marks its end.
        context.fireChannelReadComplete()
    }

    private func refusal(of head: HTTPRequestHead) -> Outcome? {
        // The decoder replaces invalid UTF-8.
        let texts = [head.uri] + head.headers.flatMap { [$0.name, $0.value] }
        if texts.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            return .refusal(400, "The request is malformed. It isn't valid UTF-8.")
        }
        if head.headers.contains(name: "transfer-encoding") {
            return .refusal(411, "The body must have a Content-Length. Transfer codings aren't supported.")
        }
        if let text = head.headers.first(name: "content-length"), Int(text).map({ $0 > limits.bodyLength }) ?? true {
            return .refusal(413, limits.bodyRefusal)
        }
        return nil
    }
}

extension HTTPRequestHead {
    /// Whether the client waits for the status 100 before it sends the body.
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}
#endif
