// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import AsyncAlgorithms
import HTTPTypes
public import HeadraceCore
public import HeadraceInspector
public import Hummingbird
import ServiceLifecycle

extension Response {
    /// Creates a response with a stream of server-sent events.
    ///
    /// ```swift
    /// router.get("ticks") { request, _ in
    ///     Response.events(ticks, to: request)
    /// }
    /// ```
    ///
    /// The next event is read after the previous event is written, so a slow client slows the stream down. The stream
    /// ends when `events` ends, when the client closes the connection, when its session of a ``TokenAccess`` ends, or when a
    /// graceful shutdown begins. An open
    /// stream doesn't delay a shutdown.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - request: The request. Its body is read to notice that the client has closed the connection, so a handler must not
    ///     iterate over it before. To use the body, call `collectBody(upTo:)` of the request.
    ///   - heartbeat: Interval between two comments that keep an idle connection open.
    ///   - clock: The clock of the heartbeat.
    /// - Returns: The response.
    public static func events<Events: AsyncSequence & Sendable>(
        _ events: Events,
        to request: Request,
        heartbeat: Duration = .seconds(15),
        clock: any TimeSource = ContinuousClock()
    ) -> Response where Events.Element == ServerSentEvent {
        eventStream(to: request, heartbeat: heartbeat, clock: clock) { send in
            for try await event in events { await send(ByteBuffer(string: event.text)) }
        }
    }

    /// Creates a response with the events that `produce` sends.
    static func eventStream(
        to request: Request,
        headers: HTTPFields = [
            .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
        ],
        heartbeat: Duration?,
        clock: any TimeSource = ContinuousClock(),
        produce: @escaping @Sendable (_ send: @escaping @Sendable (ByteBuffer) async -> Void) async throws -> Void
    ) -> Response {
        let body = request.body
        let session = (MessageContext.currentPrincipal as? TokenUser)?.session
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                // This detects that the client has closed the connection, even if there is nothing to write.
                try await body.consumeWithCancellationOnInboundClose { _ in
                    try await write(
                        to: &writer, session: session, heartbeat: heartbeat, clock: clock, produce: produce)
                }
                try await writer.finish(nil)
            }
        )
    }

    @concurrent
    private static func write(
        to writer: inout any ResponseBodyWriter,
        session: TokenSession?,
        heartbeat: Duration?,
        clock: any TimeSource,
        produce: @escaping @Sendable (_ send: @escaping @Sendable (ByteBuffer) async -> Void) async throws -> Void
    ) async throws {
        let channel = AsyncThrowingChannel<ByteBuffer, any Error>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await produce { await channel.send($0) }
                    channel.finish()
                } catch {
                    channel.fail(error)
                }
            }
            if let heartbeat {
                group.addTask {
                    let comment = ByteBuffer(string: ServerSentEvent.comment("still here").text)
                    while true {
                        try await clock.sleep(until: clock.now.advanced(by: heartbeat), tolerance: nil)
                        await channel.send(comment)
                    }
                }
            }
            if let session {
                group.addTask {
                    await session.waitForEnd()
                    channel.finish()
                }
            }
            for try await bytes in channel.cancelOnGracefulShutdown() { try await writer.write(bytes) }
            group.cancelAll()
        }
    }
}
#endif
