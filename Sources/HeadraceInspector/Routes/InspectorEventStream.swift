//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore

/// The flow as it goes on, as server-sent events.
///
/// It begins with all that is kept, then gives what has changed, and each second the rates; as long as it is read, somebody
/// looks. It ends when its task is cancelled.
///
/// Related documentation: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct InspectorEventStream: AsyncSequence, Sendable {
    /// What is written, as it is.
    public typealias Element = Data

    /// It never fails.
    public typealias Failure = Never

    private let inspector: Inspector
    private let ticket: Ticket
    private let revision: UInt64

    init(_ inspector: Inspector, after revision: UInt64, ticket: Ticket) {
        self.inspector = inspector
        self.revision = revision
        self.ticket = ticket
    }

    /// Begins to read; one reader at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inspector: inspector, ticket: ticket, revision: revision)
    }

    /// Gives the events.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pause: Duration = .milliseconds(200)
        private static let heartbeat: Duration = .seconds(1)
        private static let batchLimit = 500

        let inspector: Inspector

        /// Held as long as somebody reads.
        let ticket: Ticket

        var revision: UInt64
        private var hasBegun = false
        private var nextRates: ContinuousClock.Instant?

        init(inspector: Inspector, ticket: Ticket, revision: UInt64) {
            self.inspector = inspector
            self.ticket = ticket
            self.revision = revision
        }

        /// The next event; `nil` when the task is cancelled.
        public mutating func next() async -> Data? {
            await next(isolation: #isolation)
        }

        /// The next event; `nil` when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Data? {
            let clock = inspector.recorder.clock
            while !Task.isCancelled {
                inspector.look()
                if !hasBegun {
                    hasBegun = true
                    return Data("retry: 1000\n\n".utf8)
                }
                if let flow = takeFlow() { return flow }
                let now = clock.now
                if now >= nextRates ?? now {
                    nextRates = now.advanced(by: Self.heartbeat)
                    return Self.event("rates", RatePicture(inspector))
                }
                guard await Self.pause(on: clock) else { return nil }
            }
            return nil
        }

        private mutating func takeFlow() -> Data? {
            let (last, entries) = inspector.recorder.entries(after: revision, limit: Self.batchLimit)
            revision = last
            if entries.isEmpty { return nil }
            return Self.event("flow", FlowPicture(inspector, revision: last, entries: entries))
        }

        private static func pause(on clock: some TimeSource) async -> Bool {
            do {
                try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
                return true
            } catch {
                return false
            }
        }

        private static func event(_ name: String, _ value: some Encodable) -> Data? {
            guard case .data(let json) = InspectorResponse.json(value).body else { return nil }
            return Data("event: \(name)\ndata: ".utf8) + json + Data("\n\n".utf8)
        }
    }
}

/// What has changed of the flow.
struct FlowPicture: Encodable {
    let revision: UInt64

    /// The number of the oldest entry that is kept.
    let first: UInt64

    let entries: [FlowEntry]

    init(_ inspector: Inspector, revision: UInt64, entries: [FlowEntry]) {
        self.revision = revision
        self.entries = entries
        first = inspector.recorder.firstNumber
    }
}

/// The last seconds.
struct RatePicture: Encodable {
    let kinds = RateHistory.kinds
    let points: [RateHistory.Point]

    init(_ inspector: Inspector) {
        points = inspector.recorder.points
    }
}
