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

/// A stream of server-sent events about what the page shows.
///
/// Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
struct EventStream: Sendable {
    let station: ActorStation<PageState, PageAction>
    let limits: LedgerServer.Limits

    /// Taken as long as the stream is open.
    let slot: Slot

    private enum Tick: Sendable {
        case state(PageState)
        case heartbeat
    }

    /// Makes the answer to the request with `body`.
    func response(to body: RequestBody) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody { writer in
                // A client that is gone is noticed here and not by a write, of which there may be none for long.
                try await body.consumeWithCancellationOnInboundClose { _ in try await write(to: &writer) }
                try await writer.finish(nil)
            }
        )
    }

    /// Writes until the server shuts down or the client is gone.
    ///
    /// The next state is taken when the last one is written: a slow client gets the latest, and misses what was before.
    @concurrent
    private func write(to writer: inout any ResponseBodyWriter) async throws {
        defer { withExtendedLifetime(slot) {} }
        let states = await station.states(limit: 1).map { Tick.state($0) }
        let heartbeats = AsyncTimerSequence(interval: limits.heartbeat, clock: .continuous).map { _ in Tick.heartbeat }
        var told: Int?
        for await tick in merge(states, heartbeats).cancelOnGracefulShutdown() {
            switch tick {
            case .heartbeat:
                try await writer.write(ByteBuffer(string: ": still here\n\n"))
            case .state(let state):
                let events = try PageEvents(of: state, since: told)
                told = state.revision
                if events.text.isEmpty { continue }
                try await writer.write(ByteBuffer(string: events.text))
                try await Task.sleep(for: limits.eventInterval)
            }
        }
    }
}
