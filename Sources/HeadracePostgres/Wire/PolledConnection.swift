// SPDX-License-Identifier: Apache-2.0

#if Postgres
/// A connection with its requests, which only the polling thread uses.
///
/// Requests are sent as they come, and answered in their order, so tasks that ask at once share round trips.
final class PolledConnection {
    private struct Pending {
        let request: PostgresRequest
        let deadline: ContinuousClock.Instant?
        let isPreparing: Bool
        var statementCount = 0
        var outcome: Result<PostgresRows, PostgresFailure>?
    }

    private let libpq: LibPQ
    private let notify: @Sendable (String) -> Void
    private let end: @Sendable () -> Void
    private var pending: [Pending] = []
    private var prepared: [String: String] = [:]
    private var preparedCount = 0

    /// Whether something waits to be sent.
    private(set) var isFlushing = false

    /// - Parameters:
    ///   - libpq: The connection.
    ///   - notify: Receives the payload of each notification.
    ///   - end: Is called when the connection has ended, unless it was closed.
    init(_ libpq: LibPQ, notify: @escaping @Sendable (String) -> Void, end: @escaping @Sendable () -> Void) {
        self.libpq = libpq
        self.notify = notify
        self.end = end
    }

    var socket: Int32 { libpq.socket }

    /// The time at which the connection is cut unless an answer arrives.
    var deadline: ContinuousClock.Instant? { pending.lazy.compactMap(\.deadline).min() }

    /// Sends `request`, and returns `false` if the connection has ended.
    func start(_ request: PostgresRequest) -> Bool {
        var name = request.isPrepared ? prepared[request.sql] : nil
        var isSent = request.setup.map { libpq.send($0.sql, prepared: nil, $0.values, endsRequest: false) } ?? true
        let isPreparing = request.isPrepared && name == nil
        if isSent, isPreparing {
            preparedCount += 1
            let new = "s\(preparedCount)"
            isSent = libpq.prepare(request.sql, name: new, types: request.values.map(\.type))
            prepared[request.sql] = new
            name = new
        }
        pending.append(
            Pending(
                request: request,
                deadline: request.timeout.map { .now.advanced(by: $0) },
                isPreparing: isPreparing
            ))
        isSent = isSent && libpq.send(request.sql, prepared: name, request.values)
        return isSent && flush()
    }

    /// Sends what waits, and returns `false` if the connection has ended.
    func flush() -> Bool {
        guard let isFlushing = libpq.flush() else { return false }
        self.isFlushing = isFlushing
        return true
    }

    /// Receives answers and notifications, and returns `false` if the connection has ended.
    func receive() -> Bool {
        guard libpq.receive() else { return false }
        while !pending.isEmpty, libpq.hasAnswer {
            take(libpq.takeAnswer())
        }
        for payload in libpq.takeNotifications() { notify(payload) }
        return true
    }

    /// Fails all requests, because the connection has ended or is closed.
    func finish(_ failure: PostgresFailure? = nil) {
        let failure = failure ?? .lost(libpq.message)
        let requests = pending.map(\.request)
        pending.removeAll()
        if case .closed = failure {} else { end() }
        for request in requests { request.completion(.failure(failure)) }
    }

    private func take(_ answer: LibPQ.Answer) {
        switch answer {
        case .rows(let rows):
            if case .failure = pending[0].outcome { break }
            pending[0].outcome = .success(rows)
        case .failure(let failure):
            // After the first failure, the server skips the rest of the request.
            if case .failure = pending[0].outcome { break }
            if pending[0].isPreparing, pending[0].statementCount == 0 { prepared[pending[0].request.sql] = nil }
            pending[0].outcome = .failure(failure)
        case .end:
            pending[0].statementCount += 1
        case .sync:
            let answered = pending.removeFirst()
            answered.request.completion(answered.outcome ?? .success(PostgresRows()))
        }
    }
}
#endif
