//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncAlgorithms
import Foundation
import Headrace
import Hummingbird
import NIOCore
import ServiceLifecycle

/// A stream of server-sent events with the changes of the page's state.
///
/// Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
struct EventStream: Sendable {
    let station: ActorStation<PageState, PageAction>
    let limits: LedgerServerLimits

    /// The permit, held while the stream is open.
    let permit: Permit

    private enum Tick: Sendable {
        case state(PageState)
        case heartbeat
    }

    /// Returns the response to the request with `body`.
    func response(to body: RequestBody) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody { writer in
                // This detects that the client has closed the connection, even if there is nothing to write.
                try await body.consumeWithCancellationOnInboundClose { _ in try await write(to: &writer) }
                try await writer.finish(nil)
            }
        )
    }

    /// Writes until the server shuts down or the client closes the connection.
    ///
    /// The next state is read after the previous state is written, so a slow client receives the latest state and skips
    /// others.
    @concurrent
    private func write(to writer: inout any ResponseBodyWriter) async throws {
        defer { withExtendedLifetime(permit) {} }
        let states = await station.states(limit: 1).map { Tick.state($0) }
        let heartbeats = AsyncTimerSequence(interval: limits.heartbeat, clock: .continuous).map { _ in Tick.heartbeat }
        var written: Int?
        for await tick in merge(states, heartbeats).cancelOnGracefulShutdown() {
            switch tick {
            case .heartbeat:
                try await writer.write(ByteBuffer(string: ": still here\n\n"))
            case .state(let state):
                let events = try PageEvents(of: state, since: written)
                written = state.revision
                if events.text.isEmpty { continue }
                try await writer.write(ByteBuffer(string: events.text))
                try await Task.sleep(for: limits.eventInterval)
            }
        }
    }
}
