// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceCore
import HeadraceInspector
import Hummingbird
import Logging

/// The event streams of the routes of a router.
struct EventStreams: Sendable {
    private let permits: Permits
    private let heartbeat: Duration
    private let clock: any TimeSource

    init(limits: RequestLimits, clock: any TimeSource) {
        permits = Permits(max(0, limits.streamCount))
        heartbeat = limits.heartbeat
        self.clock = clock
    }

    /// Returns the permit of a stream, which is given back at the end of its life.
    ///
    /// - Throws: ``Problem`` if too many streams are open.
    func permit() throws -> Permit {
        if let permit = permits.tryAcquire() { return permit }
        throw Problem(
            .serviceUnavailable,
            code: "tooManyStreams",
            "Too many event streams are open. To fix, close another event stream."
        )
        .retry(after: .seconds(10))
    }

    /// Returns a response with the events that `produce` sends, and with a problem as its last event if `produce` fails.
    func response(
        to request: Request,
        _ permit: Permit,
        problems: DeclaredProblems,
        logger: Logger,
        produce: @escaping @Sendable (_ send: @escaping @Sendable (ServerSentEvent) async -> Void) async throws -> Void
    ) -> Response {
        Response.eventStream(to: request, heartbeat: heartbeat, clock: clock) { send in
            defer { withExtendedLifetime(permit) {} }
            do {
                try await produce { await send(ByteBuffer(string: $0.text)) }
            } catch {
                if Task.isCancelled { return }
                let problem = problems.problem(for: error) ?? .unexpected(.version7())
                if let id = problem.id {
                    logger.error(
                        "An event stream failed.",
                        metadata: [
                            "headrace.problem.id": "\(id.uuidString.lowercased())", "error": "\(error)",
                        ]
                    )
                }
                await send(ByteBuffer(string: ServerSentEvent("problem", data: String(buffer: try problem.body)).text))
            }
        }
    }
}
#endif
