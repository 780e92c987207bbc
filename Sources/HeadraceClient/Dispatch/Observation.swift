// SPDX-License-Identifier: Apache-2.0

#if Client
import HTTPTypes
import HeadraceCommands
import HeadraceCore

/// The values of a live query, over any number of connections.
final class Observation<Query: CQDQuery> {
    private let query: Query
    private let server: Server
    private let chain: MiddlewareChain

    /// The current connection.
    private var connection: (events: EventReader, call: Call)?

    /// The last event with a value.
    private var last: ReceivedEvent?

    /// Number of failed connections since the last event.
    private var failures = 0

    init(_ query: Query, on server: Server, around chain: MiddlewareChain) {
        self.query = query
        self.server = server
        self.chain = chain
    }

    /// Returns the next value.
    nonisolated(nonsending) func next() async throws -> Query.Value? {
        while true {
            do {
                if let value = try await nextOfConnection() { return value }
            } catch let error as RemoteError where error.isTemporary {
                connection = nil
                failures += 1
                try await server.pause(after: error, failures: failures)
            }
        }
    }

    /// Returns the next value, or `nil` for an event without news.
    private nonisolated(nonsending) func nextOfConnection() async throws -> Query.Value? {
        var (events, call) = try await connected()
        defer { if connection != nil { connection?.events = events } }
        guard let event = try await call.reading({ try await events.next() }) else {
            throw RemoteError.unreachable(StreamError.endedEarly, isCommand: false)
        }
        failures = 0
        switch event.name {
        case "message":
            let isNews = event.data != last?.data
            let value = try call.decode(Query.Value.self, from: event.data, status: .ok)
            last = event
            return isNews ? value : nil
        case "problem":
            throw call.error(in: event.data, status: .ok, retryAfter: nil)
        default:
            return nil
        }
    }

    private nonisolated(nonsending) func connected() async throws -> (events: EventReader, call: Call) {
        if let connection { return connection }
        let (server, lastID) = (server, last?.id)
        let made = try await chain.run(query, kind: .query) { query in
            try await server.events(of: query, after: lastID)
        }
        connection = made
        return made
    }
}
#endif
