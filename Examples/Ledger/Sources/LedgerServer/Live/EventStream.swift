// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import HeadraceInspector

/// The changes of the page's state as server-sent events.
///
/// The next state is read after the events of the previous state are sent, so a slow client receives the latest state and
/// skips others.
struct EventStream<States: AsyncSequence & Sendable>: AsyncSequence, Sendable where States.Element == PageState {
    typealias Element = ServerSentEvent

    private let states: States
    private let interval: Duration

    /// The permit, held while the stream is open.
    private let permit: Permit

    init(_ states: States, limits: LedgerServerLimits, permit: Permit) {
        self.states = states
        interval = limits.eventInterval
        self.permit = permit
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(states: states.makeAsyncIterator(), interval: interval, permit: permit)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var states: States.AsyncIterator
        fileprivate let interval: Duration
        fileprivate let permit: Permit

        /// The revision of the last state.
        private var written: Int?

        /// Events of the last state that weren't returned yet, the last one first.
        private var pending: [ServerSentEvent] = []

        fileprivate init(states: States.AsyncIterator, interval: Duration, permit: Permit) {
            self.states = states
            self.interval = interval
            self.permit = permit
        }

        mutating func next() async throws -> ServerSentEvent? {
            while pending.isEmpty {
                if written != nil { try await Task.sleep(for: interval) }
                guard let state = try await states.next(isolation: #isolation) else { return nil }
                pending = try PageEvents(of: state, since: written).events.reversed()
                written = state.revision
            }
            return pending.removeLast()
        }
    }
}
#endif
