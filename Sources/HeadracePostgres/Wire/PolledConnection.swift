// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation

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

/// A statement for a connection.
struct PostgresRequest: Sendable {
    /// A statement before the statement of a request, in the same transaction; its rows are ignored.
    struct Setup: Sendable {
        let sql: String
        let values: [PostgresValue]
    }

    let setup: Setup?
    let sql: String
    let values: [PostgresValue]

    /// Whether the connection prepares the statement once and uses it again.
    let isPrepared: Bool

    /// Time after which the connection is cut if the answer is missing, or `nil` for no limit.
    let timeout: Duration?

    /// Is called once, on the polling thread, and must not block.
    let completion: @Sendable (Result<PostgresRows, PostgresFailure>) -> Void
}

/// Rows of arguments for a procedure, which takes each column as an array.
///
/// The first letter of a column's name is the name of its table.
struct ArgumentTables {
    enum Cell {
        case integer(Int64?)
        case bytes([UInt8]?)
        case id(UUID)

        static func text(_ text: String?) -> Cell {
            .bytes(text.map { [UInt8]($0) })
        }
    }

    private let columns: [(name: String, type: String)]
    private var tables: [Character: [[Cell]]] = [:]

    init(_ columns: [(name: String, type: String)]) {
        self.columns = columns
    }

    /// Number of rows in a table.
    func count(_ table: Character) -> Int { tables[table]?.count ?? 0 }

    /// Appends a row to a table, with a cell for each of its columns.
    mutating func append(_ table: Character, _ cells: Cell...) {
        append(table, all: cells)
    }

    /// The variant of ``append(_:_:)`` with an array.
    mutating func append(_ table: Character, all cells: [Cell]) {
        tables[table, default: []].append(cells)
    }

    /// The columns of all tables, in the order of the procedure.
    var values: [PostgresValue] {
        var positions: [Character: Int] = [:]
        return columns.map { column in
            let table = column.name.first ?? "_"
            let position = positions[table, default: 0]
            positions[table] = position + 1
            let cells = (tables[table] ?? []).map { $0[position] }
            switch column.type {
            case "bigint":
                return .integers(cells.map { if case .integer(let number) = $0 { number } else { nil } })
            case "uuid":
                return .ids(cells.compactMap { if case .id(let id) = $0 { id } else { nil } })
            default:
                let strings = cells.map { cell -> [UInt8]? in if case .bytes(let bytes) = cell { bytes } else { nil } }
                return column.type == "text" ? .texts(strings) : .byteStrings(strings)
            }
        }
    }
}

/// Why a statement has no result.
enum PostgresFailure: Error {
    /// No connection exists, so nothing was sent.
    case unreachable(String)

    /// The connection ended after the statement was sent, so its effect is unknown.
    case lost(String)

    /// The server refused the statement, with a state of the SQL standard.
    ///
    /// Related documentation: <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
    ///
    /// `context` names the statements of functions that were running; it is empty if there were none.
    case refused(state: String, message: String, context: String = "")

    /// The store was closed.
    case closed

    /// Whether the connection can't be used any longer.
    var isOfConnection: Bool {
        switch self {
        case .unreachable, .lost: true
        case .refused(let state, _, _): state.hasPrefix("57P") || state.hasPrefix("08")
        case .closed: false
        }
    }

    /// Whether the cause is the server, its resources, or a lock, and not the refused statement.
    var isOfServer: Bool {
        guard case .refused(let state, _, _) = self else { return true }
        return ["08", "25", "40", "53", "55", "57", "58", "F0", "XX"].contains { state.hasPrefix($0) }
    }
}
#endif
